import type { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import type { BareDatabase } from './pgbench.ts';
import type { ComparedRow, LatencyRow } from './results.ts';
import { bareClients, connections, latencyP99MaxMs, latencyRows, type ThroughputRow } from './throughput-rows.ts';
import { untilSealed } from './until-sealed.ts';
import { type Measured, runWrk } from './wrk.ts';

interface Subject {
  readonly vault: BenchVault;
  readonly bare: BareDatabase;
  readonly rounds: number;
  readonly seconds: number;
  readonly tokens: number;
}

/** In turn, so that what disturbs the one disturbs the other; the first run compiles code and is not counted. */
export async function measureRow(subject: Subject, row: ThroughputRow): Promise<ComparedRow> {
  const { vault, bare, rounds, seconds, tokens } = subject;
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  await runWrk(vault, { script: row.script, connections: row.connections, seconds: Math.ceil(seconds / 2), tokens });
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await runWrk(vault, { script: row.script, connections: row.connections, seconds, tokens }));
    await untilSealed(vault);
    theirs.push(await bare.run({ script: row.bareScript, connections: bareClients, seconds, tokens }));
  }
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

/** At half of the greatest rate that was measured, with arrivals of many independent clients. */
export async function measureLatencies(subject: Subject, rows: readonly ComparedRow[]): Promise<LatencyRow[]> {
  const { vault, rounds, seconds, tokens } = subject;
  const results: LatencyRow[] = [];
  for (const { work, script } of latencyRows) {
    const rate = (rows.find((row) => row.work === work)?.ours.perSecond ?? Number.NaN) / 2;
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await untilSealed(vault);
      measured.push(await runWrk(vault, { script, connections, seconds, tokens, rate }));
    }
    const { perSecond, p50Ms, p99Ms } = toMedians(measured, 1);
    results.push({ work, rate: perSecond, p50Ms, p99Ms, goal_p99_ms: latencyP99MaxMs });
  }
  return results;
}

function toMedians(measured: readonly Measured[], tokensPerRequest: number): Measured {
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)) * tokensPerRequest,
    p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
  };
}
