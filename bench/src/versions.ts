import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { median } from './median.ts';
import { postgresProcessorMs } from './postgres-processor-time.ts';
import { connections } from './throughput-rows.ts';
import { untilSealed } from './until-sealed.ts';
import { runWrk } from './wrk.ts';

/*
 * Compares this version with another checkout, which must be installed: `npm run bench:versions -- --with ../before`.
 * Each has its own vault and PostgreSQL. The two take turns, so that a disturbance affects both. On a shared machine,
 * processor time per request is steadier than requests per second. It includes the time of the server, and that of
 * PostgreSQL until everything is sealed. Requires wrk.
 */
const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '20000' },
  },
});
if (values.with === undefined) throw new Error('Name the other checkout: npm run bench:versions -- --with <folder>');
const [rounds, seconds, tokens] = [Number(values.rounds), Number(values.seconds), Number(values.tokens)];
const scripts = ['create-card', 'get-card', 'create-card-once', 'list'];

/** npm runs this script in its workspace, so a relative path is resolved against the folder in which npm was called. */
const folder = path.resolve(process.env['INIT_CWD'] ?? '.', values.with);
const other = (await import(pathToFileURL(path.join(folder, 'bench/src/bench-vault.ts')).href)) as {
  BenchVault: typeof BenchVault;
};

async function prepare(kind: typeof BenchVault) {
  const vault = await kind.start('apart');
  await fill(vault, tokens, cardOf);
  await vault.settle();
  const worker = await vault.startWorker();
  await untilSealed(vault);
  return { vault, worker };
}
type Subject = Awaited<ReturnType<typeof prepare>>;

interface Figures {
  readonly perSecond: number;
  /** Processor time per request, in microseconds. */
  readonly server: number;
  readonly postgres: number;
}

async function measure({ vault }: Subject, script: string): Promise<Figures> {
  const before = { server: await vault.cpuMicroseconds(), postgres: await postgresProcessorMs(vault.postgres) };
  const { perSecond, requests } = await runWrk(vault, { script, connections, seconds, tokens });
  const server = (await vault.cpuMicroseconds()) - before.server;
  await untilSealed(vault);
  const postgres = 1_000 * ((await postgresProcessorMs(vault.postgres)) - before.postgres);
  return { perSecond, server: server / requests, postgres: postgres / requests };
}

/** Describes one figure of both versions, and the median, lowest and highest ratio of all rounds. */
function describe(
  measured: readonly { readonly now: Figures; readonly before: Figures }[],
  name: keyof Figures,
): string {
  const of = (version: 'now' | 'before') => median(measured.map((one) => one[version][name])).toFixed(0);
  const ratios = measured.map(({ now, before }) => now[name] / before[name]).toSorted((a, b) => a - b);
  const range = `${ratios.at(0)?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
  return `${of('before')} to ${of('now')}, ${median(ratios).toFixed(2)}× (${range})`;
}

const subjects = { now: await prepare(BenchVault), before: await prepare(other.BenchVault) };
for (const script of scripts) {
  for (const subject of Object.values(subjects)) await measure(subject, script);
  const measured: { readonly now: Figures; readonly before: Figures }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const first = await measure(isFirst ? subjects.now : subjects.before, script);
    const second = await measure(isFirst ? subjects.before : subjects.now, script);
    measured.push(isFirst ? { now: first, before: second } : { now: second, before: first });
  }
  process.stdout.write(`${script}\n  requests/s: ${describe(measured, 'perSecond')}\n`);
  process.stdout.write(`  processor time of the server, µs: ${describe(measured, 'server')}\n`);
  process.stdout.write(`  processor time of PostgreSQL, µs: ${describe(measured, 'postgres')}\n`);
}
for (const { vault, worker } of Object.values(subjects)) {
  await worker.stop();
  await vault.stop();
}
