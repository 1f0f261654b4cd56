import { readFile, writeFile } from 'node:fs/promises';
import {
  type Circumstances,
  type GrowthResults,
  loadResults,
  type MemoryResults,
  type ThroughputResults,
} from './results.ts';
import { bareClients, connections } from './throughput-rows.ts';

const page = new URL('../../docs/performance.md', import.meta.url);
const notes = new URL('../results/notes.md', import.meta.url);

/** Writes docs/performance.md from what was recorded. */
export async function writePage(): Promise<void> {
  await writeFile(page, await toPage());
}

export async function isPageCurrent(): Promise<boolean> {
  return (await toPage()) === (await readFile(page, 'utf8').catch(() => ''));
}

async function toPage(): Promise<string> {
  const [throughput, growth, memory, findings] = await Promise.all([
    loadResults<ThroughputResults>('throughput'),
    loadResults<GrowthResults>('growth'),
    loadResults<MemoryResults>('memory'),
    readFile(notes, 'utf8').catch(() => ''),
  ]);
  const sections = [
    head,
    ...(throughput === undefined ? [] : [toThroughputSection(throughput)]),
    ...(growth === undefined ? [] : [toGrowthSection(growth)]),
    ...(memory === undefined ? [] : [toMemorySection(memory)]),
    findings,
  ];
  return `${sections.map((section) => section.trim()).join('\n\n')}\n`;
}

const head = `# Performance

<!-- Written by \`npm run bench:page\` from bench/results. CI fails when it is not current. -->

What a machine can do depends on the machine, so everything here is a ratio: the vault against bare PostgreSQL, which
writes or reads the same rows on the same machine in the same run, or the vault against itself. \`npm run bench\`,
\`npm run bench:growth\` and \`npm run bench:memory\` measure it anew and write this page.`;

function toThroughputSection({ circumstances, rows, latency, rounds, seconds, servers }: ThroughputResults): string {
  const table = rows.map(({ work, against, goal, unit, ours, bare, ratio }) =>
    [
      work,
      against,
      `${rate(ours.perSecond)} ${unit}/s`,
      rate(bare.perSecond),
      `${ms(ours.p50Ms)} / ${ms(ours.p99Ms)}`,
      `${ms(bare.p50Ms)} / ${ms(bare.p99Ms)}`,
      `**${ratio.toFixed(2)}×**`,
      `${ratio >= goal ? 'met' : 'missed'}: ${goal}×`,
    ].join(' | '),
  );
  const latencies = latency.map(
    ({ work, rate: perSecond, p50Ms, p99Ms, goal_p99_ms }) =>
      `${work} | ${rate(perSecond)} | ${ms(p50Ms)} | ${ms(p99Ms)} | ${p99Ms <= goal_p99_ms ? 'met' : 'missed'}: p99 ≤ ${goal_p99_ms} ms`,
  );
  return `## Against bare PostgreSQL

${describe(circumstances)} PostgreSQL with fsync and synchronous_commit. The vault with everything switched on: audit records
durable before the answer, sealing, row-level security, a log line a request; only the rate limits are raised.
${servers === 1 ? 'One server process' : `${servers} server processes`} and one worker, ${connections} connections of wrk (16 for documents of a hundred values), against \`pgbench -M prepared\` with ${bareClients} clients under the same
role and policies, on a copy of the database that nothing else touches. ${rounds} rounds of ${seconds} seconds in turn; figures are medians,
the ratio is the median of the ratios of the rounds.

![Ratios](../bench/results/throughput.svg)

| Work | Against | Vault | Bare | Vault p50 / p99 ms | Bare p50 / p99 ms | Ratio | Goal |
| --- | --- | --- | --- | --- | --- | --- | --- |
${table.map((row) => `| ${row} |`).join('\n')}

Latency at half of the greatest rate, arrivals as of many independent clients:

| Work | Requests/s | p50 ms | p99 ms | Goal |
| --- | --- | --- | --- | --- |
${latencies.map((row) => `| ${row} |`).join('\n')}`;
}

function toGrowthSection({ circumstances, sizes, rounds, goal, rows }: GrowthResults): string {
  const table = rows.map(
    ({ operation, ms: medians, ratio }) =>
      `| ${operation} | ${medians.map(ms).join(' | ')} | **${ratio.toFixed(2)}×** | ${ratio <= goal ? 'met' : 'missed'}: ≤ ${goal}× |`,
  );
  const names = sizes.map((size) => `10${superscript(Math.round(Math.log10(size)))} tokens`);
  return `## As the vault grows

${describe(circumstances)} Vaults of every size stand side by side, and every operation is asked of all of them in turn,
${rounds} times. Medians in milliseconds, as one client sees them; the ratio is the largest vault over the smallest.

![Growth](../bench/results/growth.svg)

| Operation | ${names.join(' | ')} | Ratio | Goal |
| --- | ${names.map(() => '---').join(' | ')} | --- | --- |
${table.join('\n')}`;
}

function toMemorySection({ circumstances, goal, samples, rss_ratio, heap_ratio }: MemoryResults): string {
  const table = samples.map(
    ({ requests, rss_mb, heap_mb }) => `| ${rate(requests)} | ${rss_mb.toFixed(1)} | ${heap_mb.toFixed(1)} |`,
  );
  return `## Memory

${describe(circumstances)} One server process after so many requests, creates and gets in equal parts, each time after a
collection of garbage. From the first line to the last: resident ${rss_ratio.toFixed(2)}×, heap ${heap_ratio.toFixed(2)}×; goal ≤ ${goal}×.

| Requests | Resident MB | Heap MB |
| --- | --- | --- |
${table.join('\n')}`;
}

function describe({ recorded_at, processor, cores, memory_gb, node, postgres, load }: Circumstances): string {
  return `${recorded_at.slice(0, 10)}, ${cores} cores (${processor}), ${memory_gb} GB, Node ${node}, PostgreSQL ${postgres}; load ${load[0]} before and ${load[1]} after.`;
}

function rate(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function superscript(value: number): string {
  return [...String(value)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '').join('');
}
