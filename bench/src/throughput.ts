import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startBesideBare } from './beside-bare.ts';
import { toRatioChart } from './chart.ts';
import { isPageCurrent, writePage } from './performance-page.ts';
import { loadResults, saveChart, saveResults, type ThroughputResults } from './results.ts';
import { measureLatencies, measureRow } from './throughput-measurement.ts';
import { throughputRows } from './throughput-rows.ts';
import { untilSealed } from './until-sealed.ts';

/*
 * Measures the speed of the vault against that of bare PostgreSQL processing the same rows, on the same machine in the
 * same run. The vault runs as in production, with servers, a worker that seals the audit log, row-level security, and
 * one log line per request. The only difference is that its rate limits are raised. pgbench uses a copy of the database
 * that nothing else uses. The two take turns. Requires wrk.
 */
const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    tokens: { type: 'string' },
    /**
     * Runs for half a minute and compares with the recorded results. Fails if something is clearly slower, and records
     * nothing.
     */
    short: { type: 'boolean', default: false },
    /** The file that the numbers of passed and failed rows are written to, in the format of a test report. */
    output: { type: 'string' },
  },
});
const isShort = values.short;
const servers = Number(values.servers);
const rounds = Number(values.rounds ?? (isShort ? 1 : 5));
const seconds = Number(values.seconds ?? (isShort ? 2 : 8));
const tokens = Number(values.tokens ?? (isShort ? 2_000 : 20_000));
/**
 * Noise on a shared machine must not fail a change. A row only fails if it is below two fifths of the recorded ratio in
 * four consecutive attempts.
 */
const clearlyBelow = 0.4;
const attemptsMax = 4;

const { vault, bare, worker, finish } = await startBesideBare({ tokens, servers });
await untilSealed(vault);
const subject = { vault, bare, rounds, seconds, tokens };

/** Measures a row again if it is clearly below the recorded ratio. */
async function runShort(): Promise<void> {
  const recorded = await loadResults<ThroughputResults>('throughput');
  const outcomes = [await isPageCurrent()];
  if (outcomes[0] === false) process.stdout.write('docs/performance.md is not current: run `npm run bench:page`\n');
  for (const row of throughputRows.filter(({ isLongOnly }) => isLongOnly !== true)) {
    const last = recorded?.rows.find(({ work, against }) => work === row.work && against === row.against)?.ratio ?? 0;
    let { ratio } = await measureRow(subject, row);
    for (let attempt = 1; attempt < attemptsMax && ratio < last * clearlyBelow; attempt += 1) {
      ({ ratio } = await measureRow(subject, row));
    }
    const isPassed = ratio >= last * clearlyBelow;
    outcomes.push(isPassed);
    const verdict = isPassed ? 'recorded' : 'clearly below';
    process.stdout.write(`${row.work.padEnd(36)} ${ratio.toFixed(2)}×, ${verdict} ${last.toFixed(2)}×\n`);
  }
  const failed = outcomes.filter((isPassed) => !isPassed).length;
  const summary = { numPassedTests: outcomes.length - failed, numFailedTests: failed, numFailedTestSuites: 0 };
  if (values.output !== undefined) await writeFile(values.output, JSON.stringify(summary));
  if (failed > 0) process.exitCode = 1;
}

async function runWhole(): Promise<void> {
  const rows = [];
  for (const row of throughputRows) {
    const measured = await measureRow(subject, row);
    rows.push(measured);
    const figures = `${measured.ours.perSecond.toFixed(0)} : ${measured.bare.perSecond.toFixed(0)} ${measured.unit}/s`;
    const times = `p50 ${measured.ours.p50Ms.toFixed(1)} : ${measured.bare.p50Ms.toFixed(1)} ms, p99 ${measured.ours.p99Ms.toFixed(1)} : ${measured.bare.p99Ms.toFixed(1)} ms`;
    const verdict = `${measured.ratio.toFixed(2)}× (goal ${row.goal}×)`;
    process.stdout.write(`${row.work}\n  against ${row.against}\n  ${figures}, ${times}\n  ${verdict}\n`);
  }
  const latency = await measureLatencies(subject, rows);
  for (const { work, rate, ours, bare: theirs, p50Ratio, p99Ratio } of latency) {
    const p50 = `p50 ${ours.p50Ms.toFixed(1)} : ${theirs.p50Ms.toFixed(1)} ms, ${p50Ratio.toFixed(2)}×`;
    const p99 = `p99 ${ours.p99Ms.toFixed(1)} : ${theirs.p99Ms.toFixed(1)} ms, ${p99Ratio.toFixed(2)}×`;
    process.stdout.write(`${work} at ${rate.toFixed(0)}/s: ${p50}; ${p99}\n`);
  }
  const results: ThroughputResults = { circumstances: finish(), servers, rounds, seconds, rows, latency };
  await saveResults('throughput', results);
  await saveChart('throughput', toRatioChart(rows));
  await writePage();
}

try {
  await (isShort ? runShort() : runWhole());
} finally {
  await worker.stop();
  await vault.stop();
}
