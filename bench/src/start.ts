import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { BenchProcess } from './bench-process.ts';
import { median } from './median.ts';

/*
 * Compares the start of a server with that of another checkout: `npm run bench:start -- --with ../before`. Both must be
 * built, because users run compiled code. Servers with a root key in a file and no other setting are started in turns. For
 * each, it measures the processor time until it is ready, its memory then, and its memory after a thousand creates.
 */
const { values } = parseArgs({
  options: { with: { type: 'string' }, rounds: { type: 'string', default: '20' } },
});
if (values.with === undefined) throw new Error('Name the other checkout: npm run bench:start -- --with <folder>');
const rounds = Number(values.rounds);
const creates = 1_000;
const clients = 8;
const run = promisify(execFile);

interface Subject {
  readonly main: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly postgres: LocalPostgres;
  readonly key: string;
}

interface Figures {
  readonly startMs: number;
  readonly rssAtStart: number;
  readonly rssAfterCreates: number;
}

/** npm runs this script in its workspace, so a relative path is resolved against the folder in which npm was called. */
const otherFolder = path.resolve(process.env['INIT_CWD'] ?? '.', values.with);
const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'));

async function prepare(folder: string): Promise<Subject> {
  const main = path.join(folder, 'server/dist/main.js');
  const postgres = await LocalPostgres.start({ password: crypto.randomUUID() });
  const settings = {
    STRONGROOM_DATABASE_URL: postgres.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_RATE_LIMITS: 'global=999999999,token-write=999999999',
    STRONGROOM_DRAIN_DELAY_SECONDS: '0',
  };
  const env = { ...process.env, ...settings };
  await run(process.execPath, [main, 'migrate'], { env });
  const { stdout } = await run(process.execPath, [main, 'bootstrap', '--name', 'Bench', '--json'], { env });
  const { management } = (JSON.parse(stdout) as { keys: { management: string } }).keys;
  const server = await BenchProcess.start(['serve', '--json'], settings, path.join(directory, 'log'), main);
  const application = { name: 'Bench', type: 'private', permissions: ['token:create'] };
  const { key } = (await send(server, '/applications', management, application)) as { key: string };
  await server.stop();
  return { main, settings, postgres, key };
}

async function send(server: BenchProcess, target: string, key: string, body: object): Promise<unknown> {
  const { url } = server.announced as { url: string };
  const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`${url}${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${target} answered ${response.status}.`);
  return response.json();
}

async function measure({ main, settings, key }: Subject): Promise<Figures> {
  const server = await BenchProcess.start(['serve', '--json'], settings, path.join(directory, 'log'), main);
  const [startMs, rssAtStart] = [(await server.cpuMicroseconds()) / 1_000, await server.residentBytes()];
  const createMany = async () => {
    for (let count = 0; count < creates / clients; count += 1) {
      await send(server, '/tokens', key, { type: 'token', data: `value ${count}` });
    }
  };
  await Promise.all(Array.from({ length: clients }, createMany));
  const rssAfterCreates = await server.residentBytes();
  await server.stop();
  return { startMs, rssAtStart, rssAfterCreates };
}

const subjects = { now: await prepare(path.resolve(import.meta.dirname, '../..')), before: await prepare(otherFolder) };
const measured: Record<keyof typeof subjects, Figures[]> = { now: [], before: [] };
for (let round = 0; round <= rounds; round += 1) {
  const order = round % 2 === 0 ? (['now', 'before'] as const) : (['before', 'now'] as const);
  for (const version of order) {
    const figures = await measure(subjects[version]);
    // The first round reads files that later ones find in memory.
    if (round > 0) measured[version].push(figures);
  }
}
const units = { startMs: 1, rssAtStart: 2 ** 20, rssAfterCreates: 2 ** 20 };
for (const [name, unit] of Object.entries(units) as [keyof Figures, number][]) {
  const of = (version: keyof typeof subjects) => median(measured[version].map((one) => one[name])) / unit;
  const ratios = measured.now.map((one, index) => one[name] / (measured.before[index]?.[name] ?? Number.NaN));
  process.stdout.write(
    `${name}: ${of('before').toFixed(1)} to ${of('now').toFixed(1)} ${unit === 1 ? 'ms' : 'MiB'}, ` +
      `${(of('now') / of('before')).toFixed(3)}× by medians, ${median(ratios).toFixed(3)}× as median of ${rounds} pairs\n`,
  );
}
for (const { postgres } of Object.values(subjects)) await postgres.stop();
await rm(directory, { recursive: true, force: true });
