import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { median } from './median.ts';
import { NodeDatabases, nodeSettings } from './node-databases.ts';
import { withClient } from './with-client.ts';
import { runWrk } from './wrk.ts';

/*
 * What a vault costs on several databases. `npm run nodes` counts the statements and rows of 10,000 creates and reads on every
 * database, with 1, 2, 4 and 8 nodes. `npm run nodes -- --throughput` compares a vault with one database to one with two nodes, in
 * turns; all of them share this machine, so that is cost and not gain.
 */
const { values } = parseArgs({
  options: {
    throughput: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1,2,4,8' },
    requests: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});
const requests = Number(values.requests);
const connections = Number(values.connections);

interface Work {
  readonly calls: number;
  readonly rows: number;
  readonly milliseconds: number;
  readonly walBytes: number;
}

async function startVault(count: number): Promise<{ vault: BenchVault; nodes: NodeDatabases }> {
  const nodes = await NodeDatabases.start(count);
  const settings = count === 0 ? {} : { STRONGROOM_NODES: nodes.setting };
  const vault = await BenchVault.start('apart', settings, nodeSettings, (homeUrl) => nodes.join(homeUrl));
  return { vault, nodes };
}

/** Does `ask` for every number, so many at a time. */
async function askAll(ask: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < requests) {
      next += 1;
      await ask(next - 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

/** Statements that read or write tokens; the server also looks now and then whether it is still there. */
const workText = `select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(rows), 0)::float8 as rows,
    coalesce(sum(total_exec_time), 0)::float8 as milliseconds, coalesce(sum(wal_bytes), 0)::float8 as "walBytes"
  from pg_stat_statements where toplevel and query ~ '\\mtokens\\M'`;

async function readWork(url: string): Promise<Work> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Work>(workText);
    const [work] = rows;
    if (work === undefined) throw new Error('pg_stat_statements has no answer.');
    return work;
  });
}

async function countWork(count: number): Promise<void> {
  const { vault, nodes } = await startVault(count);
  const urls = [vault.postgres.url, ...nodes.all.map(({ postgres }) => postgres.url)];
  for (const url of urls)
    await withClient(url, (client) => client.query('create extension if not exists pg_stat_statements'));
  const reset = async () => {
    for (const url of urls) await withClient(url, (client) => client.query('select pg_stat_statements_reset()'));
  };
  const ids: string[] = [];
  const create = async (data: number) => {
    const { id } = JSON.parse(await vault.request('POST', '/tokens', { type: 'token', data })) as { id: string };
    ids.push(id);
  };
  const read = async (number: number) => void (await vault.request('GET', `/tokens/${ids[number % ids.length]}`));
  for (const [name, ask] of [
    ['create', create],
    ['read', read],
  ] as const) {
    await reset();
    await askAll(ask);
    const [home, ...others] = await Promise.all(urls.map(readWork));
    print(count, name, home, others);
  }
  await vault.stop();
  await nodes.stop();
}

function print(count: number, name: string, home: Work | undefined, nodes: readonly Work[]): void {
  const range = (pick: (work: Work) => number) => {
    const numbers = nodes.map(pick);
    return `${Math.round(Math.min(...numbers))}–${Math.round(Math.max(...numbers))}`;
  };
  const share = Math.max(...nodes.map(({ rows }) => rows)) / (requests / count);
  process.stdout.write(
    `${count} nodes, ${requests} × ${name}: home ${home?.calls ?? 0} statements; each node ${range(({ calls }) => calls)} statements, ` +
      `${range(({ rows }) => rows)} rows (${share.toFixed(2)} of 1/N at most), ${range(({ milliseconds }) => milliseconds)} ms, ` +
      `${range(({ walBytes }) => walBytes / 1024)} KiB of WAL\n`,
  );
}

async function compare(): Promise<void> {
  const kinds = [await startVault(0), await startVault(2)];
  const load = { connections, seconds: Number(values.seconds), tokens: requests };
  for (const { vault, nodes } of kinds) {
    await fill(vault, requests, cardOf);
    await vault.settle();
    for (const { postgres } of nodes.all) await withClient(postgres.url, (client) => client.query('vacuum analyze'));
  }
  for (const script of ['create-card', 'get-card']) {
    const measured: number[][] = kinds.map(() => []);
    for (let round = -1; round < Number(values.rounds); round += 1) {
      for (const [index, { vault }] of kinds.entries()) {
        const { perSecond } = await runWrk(vault, { ...load, script });
        if (round >= 0) measured[index]?.push(perSecond);
      }
    }
    const [plain = Number.NaN, spread = Number.NaN] = measured.map(median);
    process.stdout.write(
      `${script}: ${Math.round(plain)}/s on one database, ${Math.round(spread)}/s on two nodes, ${(spread / plain).toFixed(2)}×\n`,
    );
  }
  for (const { vault, nodes } of kinds) {
    await vault.stop();
    await nodes.stop();
  }
}

if (values.throughput) await compare();
else for (const count of values.nodes.split(',').map(Number)) await countWork(count);
