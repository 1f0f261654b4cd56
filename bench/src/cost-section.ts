import { median } from './median.ts';
import { describe, rate } from './page-text.ts';
import type { ComparedCost, CostResults, ServerCountCost } from './results.ts';

/** The share of a primary's processors that creates may use, so that there is room for peaks and maintenance. */
const usableShare = 0.6;
const primaryCores = [4, 16, 64] as const;

/** Describes what a request costs PostgreSQL, and what follows from it for one primary. */
export function toCostSection(results: CostResults): string {
  const { circumstances, rounds, seconds, idle, rows } = results;
  return `## What a request costs PostgreSQL

${describe(circumstances)} One server process and one worker, ${rounds} alternating rounds of ${seconds} seconds, medians for each
request, and for each transaction of bare PostgreSQL. Processor time is that of all processes of PostgreSQL, with the
sealing of the records and what follows from them. Pages are those looked at, in memory or on disk. A vault without requests costs
${idle.postgresMs.toFixed(1)} ms of processor time and ${idle.commits.toFixed(1)} commits a second; the table does not include them.

| Work | Against | PostgreSQL, ms | Ratio | Goal | WAL, bytes | Pages | Commits | Server and worker, ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${toRow(row)} |`).join('\n')}

The same load, divided among several server processes. There are more processes than cores, so what counts is the cost for each
request, not the rate:

| Work | Servers | PostgreSQL, ms | Against one server | Commits | Time spent waiting for locks |
| --- | --- | --- | --- | --- | --- |
${results.servers.map((row) => `| ${toServersRow(row, results.servers)} |`).join('\n')}

${toExtrapolation(results)}`;
}

function toRow({ work, against, goal, ours, bare, ratios }: ComparedCost): string {
  const ratio = median(ratios);
  return [
    work,
    against,
    `${ours.postgresMs.toFixed(3)} : ${bare.postgresMs.toFixed(3)}`,
    `**${ratio.toFixed(2)}×**`,
    `${ratio <= goal ? 'met' : 'missed'}: ≤ ${goal}×`,
    `${rate(ours.walBytes)} : ${rate(bare.walBytes)}`,
    `${ours.buffers.toFixed(1)} : ${bare.buffers.toFixed(1)}`,
    `${ours.commits.toFixed(3)} : ${bare.commits.toFixed(3)}`,
    ours.vaultMs.toFixed(2),
  ].join(' | ');
}

function toServersRow({ work, servers, cost }: ServerCountCost, all: readonly ServerCountCost[]): string {
  const alone = all.find((one) => one.work === work)?.cost.postgresMs ?? Number.NaN;
  return [
    work,
    servers,
    cost.postgresMs.toFixed(3),
    `**${(cost.postgresMs / alone).toFixed(2)}×**`,
    cost.commits.toFixed(3),
    `${(100 * cost.lockWaitShare).toFixed(1)} %`,
  ].join(' | ');
}

/** Extrapolates from the processor time of a request to the requests of a larger machine. */
function toExtrapolation({ rows, servers }: CostResults): string {
  const largest = Math.max(...servers.map(({ servers: many }) => many));
  const lines = [...new Set(servers.map(({ work }) => work))].map((work) => {
    const alone = rows.find((row) => row.work === work)?.ours.postgresMs ?? Number.NaN;
    const shared = servers.find((row) => row.work === work && row.servers === largest)?.cost.postgresMs ?? Number.NaN;
    const worst = Math.max(alone, shared);
    const rates = primaryCores.map((cores) => rate((cores * usableShare * 1_000) / worst));
    return `| ${[work, ...rates].join(' | ')} |`;
  });
  return `**Extrapolated, not measured:** requests a second for which ${100 * usableShare} % of a primary's processors would be enough, with
the higher of the costs of one server and of ${largest}, on processors like this one. Disks, locks and the network may set lower limits.

| Work | ${primaryCores.map((cores) => `${cores} cores`).join(' | ')} |
| --- | ${primaryCores.map(() => '---').join(' | ')} |
${lines.join('\n')}`;
}
