import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { describePairs, measureInPairs, measureRequests } from './request-figures.ts';
import { connections } from './throughput-rows.ts';
import { untilSealed } from './until-sealed.ts';

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

const subjects = { now: await prepare(BenchVault), before: await prepare(other.BenchVault) };
for (const script of scripts) {
  const load = { script, connections, seconds, tokens };
  const measure =
    ({ vault }: Subject) =>
    () =>
      measureRequests(vault, load);
  const pairs = await measureInPairs([measure(subjects.before), measure(subjects.now)], rounds);
  process.stdout.write(`${script}\n${describePairs(pairs)}`);
}
for (const { vault, worker } of Object.values(subjects)) {
  await worker.stop();
  await vault.stop();
}
