import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from './check/check.ts';
import { type Gap, gapsOf } from './gaps.ts';
import { findFault } from './injections/catalogue.ts';
import { upgradeTo } from './injections/upgrade.ts';
import { runRound } from './round.ts';
import { isolate } from './stage/isolate.ts';

/*
 * Runs one round in its own namespaces. The argument names a file with the plan. The result is written to `result.json`
 * in the folder of the round.
 */
export interface RoundPlan {
  readonly folder: string;
  readonly main: string;
  /** The source of the previous release. If set, the vault starts with it, and the first fault is the upgrade. */
  readonly previousMain?: string;
  readonly seed: number;
  readonly rate: number;
  readonly hasWebhooks: boolean;
  readonly calmSeconds: number;
  readonly settledSecondsMax: number;
  /** Names of faults, in order. */
  readonly faults: readonly string[];
}

export interface RoundSummary {
  readonly findings: readonly Finding[];
  readonly gaps: readonly Gap[];
  /** The number of requests by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

await isolate();
const plan = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as RoundPlan;
const startedAt = performance.now();
const { findings, injected, entries } = await runRound({
  ...plan,
  main: plan.previousMain ?? plan.main,
  faults: [...(plan.previousMain === undefined ? [] : [upgradeTo(plan.main)]), ...plan.faults.map(findFault)],
  say: (line) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5);
    process.stdout.write(`${seconds} s  ${line}\n`);
  },
});
const outcomes: Record<string, number> = {};
for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
const summary: RoundSummary = { findings, gaps: gapsOf(entries, injected), outcomes };
await writeFile(path.join(plan.folder, 'result.json'), JSON.stringify(summary));
// The stage is still running, so the process has to exit explicitly.
process.exit(0);
