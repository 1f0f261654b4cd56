import type { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import type { BareDatabase } from './pgbench.ts';
import type { ComparedRow, LatencyRow } from './results.ts';
import { bareClients, connections, latencyRows, latencyShares, type ThroughputRow } from './throughput-rows.ts';
import { untilSealed } from './until-sealed.ts';
import { type Load, type Measured, runWrk } from './wrk.ts';

interface Subject {
  readonly vault: BenchVault;
  readonly bare: BareDatabase;
  readonly rounds: number;
  readonly seconds: number;
  readonly tokens: number;
}

/** Measures a row. The first run compiles code and is not counted. */
export async function measureRow(subject: Subject, row: ThroughputRow): Promise<ComparedRow> {
  const { vault, seconds, tokens } = subject;
  const { script, connections: many } = row;
  await runWrk(vault, { script, connections: many, seconds: Math.ceil(seconds / 2), tokens });
  const { ours, theirs } = await takeTurns(subject, { script, bareScript: row.bareScript, connections: many });
  const ratios = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  return {
    work: row.work,
    against: row.against,
    goal: row.goal,
    unit: row.tokensPerRequest === 1 ? 'requests' : 'tokens',
    ours: toMedians(ours, row.tokensPerRequest),
    bare: toMedians(theirs, row.tokensPerRequest),
    ratio: median(ratios),
    ratios,
  };
}

/**
 * Measures latencies at fractions of the highest measured rate, with requests arriving as if from many independent
 * clients. The vault and bare PostgreSQL take turns.
 */
export async function measureLatencies(subject: Subject, rows: readonly ComparedRow[]): Promise<LatencyRow[]> {
  const results: LatencyRow[] = [];
  for (const { work, script } of latencyRows) {
    const greatest = rows.find((row) => row.work === work)?.ours.perSecond ?? Number.NaN;
    for (const share of latencyShares)
      results.push(await measureLatency(subject, { work, script, rate: greatest * share }));
  }
  return results;
}

async function measureLatency(
  subject: Subject,
  { work, script, rate }: { readonly work: string; readonly script: string; readonly rate: number },
): Promise<LatencyRow> {
  const { ours, theirs } = await takeTurns(subject, { script, bareScript: script, connections, rate });
  const ratioOf = (figure: 'p50Ms' | 'p99Ms') =>
    median(ours.map((one, round) => one[figure] / (theirs[round]?.[figure] ?? Number.NaN)));
  return {
    work,
    rate,
    ours: toMedians(ours, 1),
    bare: toMedians(theirs, 1),
    p50Ratio: ratioOf('p50Ms'),
    p99Ratio: ratioOf('p99Ms'),
  };
}

/**
 * Measures both sides in turn, so that a disturbance affects both. Records of the previous run are sealed before each
 * run.
 */
async function takeTurns(
  { vault, bare, rounds, seconds, tokens }: Subject,
  load: Pick<Load, 'script' | 'connections' | 'rate'> & { readonly bareScript: string },
): Promise<{ ours: Measured[]; theirs: Measured[] }> {
  const { bareScript, ...own } = load;
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await untilSealed(vault);
    ours.push(await runWrk(vault, { ...own, seconds, tokens }));
    await untilSealed(vault);
    theirs.push(await bare.run({ ...own, script: bareScript, connections: bareClients, seconds, tokens }));
  }
  return { ours, theirs };
}

function toMedians(measured: readonly Measured[], tokensPerRequest: number): Measured {
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)) * tokensPerRequest,
    p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
  };
}
