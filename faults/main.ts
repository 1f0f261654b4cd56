import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { unpackPreviousRelease } from '../server/test/harness/previous-release.ts';
import { type Finding, wholeRounds } from './check/check.ts';
import { checks } from './check/checks.ts';
import { undisturbedCheck } from './check/undisturbed.ts';
import { type Gap, tableOf } from './gaps.ts';
import { catalogue } from './injections/catalogue.ts';
import type { FaultKind } from './injections/fault.ts';
import { play } from './play.ts';
import { Random } from './random.ts';
import type { RoundSummary } from './round-process.ts';
import { makeScratchFolder } from './scratch-folder.ts';
import { shortForm } from './short-form.ts';
import { StolenTime } from './stage/stolen-time.ts';

/*
 * npm run faults -- [--minutes 120] [--seed 1] [--rate 200]   rounds with all kinds of faults until the time is over
 * npm run faults -- --short                                   one round with fixed faults in three minutes, at 100/s
 * npm run faults -- --fault NAME [--fault NAME …]             one round with these faults
 * npm run faults -- --upgrade                                 one round with a rolling upgrade from the previous release
 *
 * --output FILE writes a test report. --keep DIRECTORY keeps the files of every round.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string' },
    short: { type: 'boolean', default: false },
    upgrade: { type: 'boolean', default: false },
    fault: { type: 'string', multiple: true, default: [] },
    output: { type: 'string' },
    keep: { type: 'string' },
  },
});
const faultsPerRound = 40;
/**
 * CI has two cores, which are also busy restarting servers. A higher rate would test the limits of the machine instead
 * of restarts.
 */
const rate = Number(values.rate ?? (values.short ? 100 : 200));
/** If other virtual machines used more than this share of the processor time, a finding in CI is unreliable. */
const stolenShareMax = 0.2;
const random = new Random(Number(values.seed));
const startedAt = performance.now();
const folder = values.keep ?? (await makeScratchFolder('faults'));
const findings: Finding[] = [];
const gaps: Gap[] = [];
const outcomes: Record<string, number> = {};
const previousMain = values.upgrade ? await unpackPreviousRelease(await makeScratchFolder('previous')) : undefined;
const waiting: FaultKind[] = [];
let rounds = 0;

for (let faults = nextFaults(); faults !== undefined; faults = nextFaults()) {
  const summary = await playSteadily(faults);
  findings.push(...summary.findings);
  gaps.push(...summary.gaps);
  for (const [outcome, count] of Object.entries(summary.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
}

say('');
say('Longest time without a success, in seconds:');
for (const { name, count, median, worst } of tableOf(gaps)) {
  say(`| ${name} | ${count} | ${median.toFixed(1)} | ${worst.toFixed(1)} |`);
}
const { done = 0, refused = 0, unknown = 0 } = outcomes;
say(
  `${rounds} rounds, ${gaps.length} faults: ${done} acknowledged operations, ${refused} refused, ${unknown} uncertain`,
);
say(findings.length === 0 ? 'Nothing was lost, nothing was wrong.' : `${findings.length} findings.`);
if (values.output !== undefined) await writeFile(values.output, JSON.stringify(report()));
if (values.keep === undefined && findings.length === 0) await rm(folder, { recursive: true, force: true });
if (previousMain !== undefined) await rm(path.resolve(previousMain, '../../..'), { recursive: true, force: true });
process.exitCode = findings.length === 0 ? 0 : 1;

/**
 * Returns the faults of the next round, or undefined if there is none. Every kind is used once before any is repeated.
 */
function nextFaults(): readonly string[] | undefined {
  const isFixed = values.short || values.upgrade || values.fault.length > 0;
  if (isFixed) return rounds > 0 ? undefined : values.short ? shortForm : values.fault;
  if (performance.now() - startedAt > Number(values.minutes) * 60_000) return undefined;
  while (waiting.length < faultsPerRound) waiting.push(...random.shuffle(catalogue));
  return waiting.splice(0, faultsPerRound).map(({ name }) => name);
}

/**
 * Plays a round. The short form is repeated once if it had findings while other virtual machines used much of the
 * processor time, or if all its findings are timeouts of requests that must not fail.
 */
async function playSteadily(faults: readonly string[]): Promise<RoundSummary> {
  const stolenTime = new StolenTime();
  const summary = await playRound(faults);
  stolenTime.stop();
  if (summary.findings.length === 0 || !values.short) return summary;
  if (stolenTime.share > stolenShareMax) {
    say(`Unsteady: ${(stolenTime.share * 100).toFixed(0)} % of the machine was taken away. Once more.`);
  } else if (summary.findings.every(isOutOfTime)) {
    say('Unsteady: requests ran out of time. Once more.');
  } else return summary;
  return playRound(faults);
}

function isOutOfTime({ check, what }: Finding): boolean {
  return check === undisturbedCheck.name && what.includes('was not handled within its time limit');
}

/** Plays a round. Its files are kept if there is a finding. */
async function playRound(faults: readonly string[]): Promise<RoundSummary> {
  rounds += 1;
  const seed = random.below(2 ** 32);
  const own = path.join(folder, `round-${rounds}`);
  say(`round ${rounds}, seed ${seed}`);
  const summary = await play(
    {
      folder: own,
      main: path.resolve(import.meta.dirname, '../server/src/main.ts'),
      ...(previousMain === undefined ? {} : { previousMain }),
      seed,
      rate,
      hasWebhooks: !values.short,
      calmSeconds: 3,
      settledSecondsMax: 300,
      faults,
    },
    say,
  );
  for (const { check, what } of summary.findings) say(`FOUND ${check}: ${what}`);
  if (summary.findings.length > 0) say(`see ${own}`);
  else if (values.keep === undefined) await rm(own, { recursive: true, force: true });
  return summary;
}

/** Returns the results in the format of a test report. Each check is a test. */
function report() {
  const assertionResults = [...checks.map(({ name }) => name), wholeRounds].map((name) => {
    const complaints = findings.filter(({ check }) => check === name).map(({ what }) => what);
    return {
      fullName: name,
      status: complaints.length === 0 ? 'passed' : 'failed',
      failureMessages: complaints.length === 0 ? [] : [complaints.join('\n')],
    };
  });
  const status = findings.length === 0 ? 'passed' : 'failed';
  return { testResults: [{ name: import.meta.filename, status, message: '', assertionResults }] };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
