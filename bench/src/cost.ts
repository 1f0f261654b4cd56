import { parseArgs } from 'node:util';
import { startBesideBare } from './beside-bare.ts';
import { type Cost, costOfBare, costOfVault, type CostSubject, measureIdleCost } from './cost-measurement.ts';
import { median } from './median.ts';
import { writePage } from './performance-page.ts';
import { type ComparedCost, type CostResults, saveResults, type ServerCountCost } from './results.ts';
import { bareClients, connections, latencyRows, type ThroughputRow, throughputRows } from './throughput-rows.ts';
import type { Load } from './wrk.ts';

/*
 * Measures what a request costs PostgreSQL: processor time with the sealing of the records, write-ahead log, pages and
 * commits, compared with bare PostgreSQL processing the same rows in the same run. Then it divides the same load among
 * more and more server processes. Processor time hardly depends on other load on the machine. Requires wrk.
 */
const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '1,2,4,8' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '20000' },
  },
});
const serverCounts = values.servers.split(',').map(Number);
const [rounds, seconds, tokens] = [Number(values.rounds), Number(values.seconds), Number(values.tokens)];
/** At low rates, fewer requests share a commit. There, runs are longer, so that enough requests are counted. */
const lowShare = 1 / 6;
const lowTimes = 3;

const { vault, bare, worker, finish } = await startBesideBare(
  { tokens, servers: Math.max(...serverCounts) },
  { max_connections: '300' },
);
const idle = await measureIdleCost({ vault, worker, bare });
const subject: CostSubject = { vault, worker, bare, idle };

/** Measures both sides in turn. The first run compiles code and is not counted. */
async function compare(row: ThroughputRow, rate?: number): Promise<ComparedCost> {
  const pace = rate === undefined ? { seconds } : { seconds: seconds * lowTimes, rate };
  const own: Load = { script: row.script, connections: row.connections, tokens, servers: 1, ...pace };
  const theirs: Load = { script: row.bareScript, connections: bareClients, tokens, ...pace };
  await costOfVault(subject, own);
  const [ours, others]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await costOfVault(subject, own));
    others.push(await costOfBare(subject, theirs));
  }
  const ratios = ours.map(({ postgresMs }, round) => postgresMs / (others[round]?.postgresMs ?? Number.NaN));
  const work = rate === undefined ? row.work : `${row.work}, ${rate.toFixed(0)} a second`;
  return { work, against: row.against, goal: row.costGoal, ours: toMedians(ours), bare: toMedians(others), ratios };
}

/** Divides the same load among a growing number of servers, in turns. */
async function measureServers(work: string, script: string): Promise<ServerCountCost[]> {
  const load = { script, connections, seconds, tokens };
  const measured = serverCounts.map((servers) => ({ servers, costs: [] as Cost[] }));
  for (const { servers } of measured) await costOfVault(subject, { ...load, servers });
  for (let round = 0; round < rounds; round += 1) {
    for (const { servers, costs } of measured) costs.push(await costOfVault(subject, { ...load, servers }));
  }
  return measured.map(({ servers, costs }) => ({ work, servers, cost: toMedians(costs) }));
}

function toMedians(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost) => median(costs.map((cost) => cost[name]));
  return {
    perSecond: of('perSecond'),
    postgresMs: of('postgresMs'),
    walBytes: of('walBytes'),
    buffers: of('buffers'),
    commits: of('commits'),
    vaultMs: of('vaultMs'),
    lockWaitShare: of('lockWaitShare'),
  };
}

function report({ work, against, ours, bare: theirs, ratios }: ComparedCost): void {
  const both = (name: keyof Cost, digits: number) => `${ours[name].toFixed(digits)} : ${theirs[name].toFixed(digits)}`;
  const lines = [
    `PostgreSQL ${both('postgresMs', 3)} ms, ${median(ratios).toFixed(2)}×; vault ${ours.vaultMs.toFixed(2)} ms`,
    `WAL ${both('walBytes', 0)} bytes, pages ${both('buffers', 1)}, commits ${both('commits', 3)}`,
  ];
  process.stdout.write(`${work}\n  against ${against}\n  ${lines.join('\n  ')}\n`);
}

try {
  process.stdout.write(
    `idle: PostgreSQL ${idle.postgresMs.toFixed(1)} ms and ${idle.commits.toFixed(1)} commits a second\n`,
  );
  const rows: ComparedCost[] = [];
  for (const row of throughputRows) {
    const compared = await compare(row);
    rows.push(compared);
    report(compared);
    const isLatencyRow = latencyRows.some(({ script }) => script === row.script) && row.isLongOnly !== true;
    if (!isLatencyRow) continue;
    const slow = await compare(row, compared.ours.perSecond * lowShare);
    rows.push(slow);
    report(slow);
  }
  const servers: ServerCountCost[] = [];
  for (const { work, script } of latencyRows) {
    const measured = await measureServers(work, script);
    servers.push(...measured);
    for (const { servers: many, cost } of measured) {
      const share = (100 * cost.lockWaitShare).toFixed(1);
      process.stdout.write(
        `${work}, ${many} servers: ${cost.postgresMs.toFixed(3)} ms, ${share} % waiting for locks\n`,
      );
    }
  }
  const results: CostResults = { circumstances: finish(), rounds, seconds, idle, rows, servers };
  await saveResults('cost', results);
  await writePage();
} finally {
  await worker.stop();
  await vault.stop();
}
