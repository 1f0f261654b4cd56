import { Progress } from '../../server/src/cli/terminal/progress.ts';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { cardLine } from './card-line.ts';
import { median } from './median.ts';

/*
 * How fast is an import? A file of cards is imported by the program as an operator runs it, from start to end of its
 * process: read, checked, sealed and written with terms, counters and a record each. Then the rows that this has made are
 * emptied out and brought back with COPY, the fastest way PostgreSQL has, into the same tables with the same indexes. The
 * ratio of the two is the result. Processor time is told beside it: on a machine that does other things too, an import, which
 * wants two processors, suffers more than a COPY, which wants one.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const tables = ['tokens', 'token_terms', 'token_counts', 'audit_records'] as const;
const run = promisify(execFile);
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'));
// PostgreSQL, which runs as somebody else, writes and reads the rows there.
await chmod(directory, 0o777);
const postgres = await LocalPostgres.start({
  password: crypto.randomUUID(),
  settings: { shared_buffers: '1GB', max_wal_size: '16GB', checkpoint_timeout: '60min' },
});
const env = { ...process.env, STRONGROOM_DATABASE_URL: postgres.url, STRONGROOM_ROOT_KEY: generateRootKey() };
await run(process.execPath, [program, 'migrate'], { env });
const { stdout } = await run(process.execPath, [program, 'bootstrap', '--name', 'Bench', '--json'], { env });
const { tenant_id: tenantId } = JSON.parse(stdout) as { tenant_id: string };
const client = new pg.Client({ connectionString: postgres.url });
await client.connect();
const columns = new Map<string, string>();
for (const table of tables) columns.set(table, await columnsOf(table));

const file = path.join(directory, 'cards.ndjson');
await writeFileOfCards();
const cpu = { program: [] as number[], importing: [] as number[], copying: [] as number[] };
const rates = { imported: [] as number[], copied: [] as number[], importedInside: [] as number[] };
for (let round = 1; round <= rounds; round += 1) {
  await empty();
  const before = await processorTimes();
  const { seconds, inside } = await importFile();
  const between = await processorTimes();
  cpu.program.push(between.program - before.program);
  cpu.importing.push(between.database - before.database);
  rates.imported.push(rows / seconds);
  rates.importedInside.push(rows / inside);
  for (const table of tables) {
    await client.query(`copy (select ${columns.get(table)} from ${table}) to '${rowsOf(table)}'`);
  }
  await empty();
  const emptied = await processorTimes();
  rates.copied.push(rows / (await copyBack()));
  cpu.copying.push((await processorTimes()).database - emptied.database);
  process.stderr.write(
    `Round ${round}: import ${Math.round(rows / seconds)}/s, COPY ${Math.round(rates.copied.at(-1) ?? 0)}/s\n`,
  );
}
const result = {
  rows,
  rounds,
  import_rows_per_second: Math.round(median(rates.imported)),
  copy_rows_per_second: Math.round(median(rates.copied)),
  ratio: median(rates.imported.map((rate, index) => rate / (rates.copied[index] ?? Number.NaN))),
  program_cpu_us_per_row: (median(cpu.program) / rows) * 1e6,
  database_cpu_us_per_row: (median(cpu.importing) / rows) * 1e6,
  copy_cpu_us_per_row: (median(cpu.copying) / rows) * 1e6,
  ratio_without_start: median(rates.importedInside.map((rate, index) => rate / (rates.copied[index] ?? Number.NaN))),
};
await client.end();
await postgres.stop();
await rm(directory, { recursive: true });
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `${Object.entries(result)
        .map(([name, value]) => `${name.padEnd(24)} ${Number(value.toFixed(3))}`)
        .join('\n')}\n`,
);

async function writeFileOfCards(): Promise<void> {
  const progress = new Progress('Writing the file', true);
  const stream = createWriteStream(file);
  for (let index = 0; index < rows; index += 1) {
    if (!stream.write(`${cardLine(index)}\n`)) await once(stream, 'drain');
    if (index % 1_000 === 0) progress.update(index, rows);
  }
  stream.end();
  await once(stream, 'finish');
}

/** But for those that PostgreSQL makes of others. */
async function columnsOf(table: string): Promise<string> {
  const { rows: found } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return found[0]?.columns ?? '';
}

function rowsOf(table: string): string {
  return path.join(directory, `${table}.rows`);
}

/** Both begin with tables that hold nothing, not even dead rows, and without a checkpoint to pay for. */
async function empty(): Promise<void> {
  await client.query(`truncate ${tables.join(', ')}, token_imports`);
  await client.query('checkpoint');
}

async function importFile(): Promise<{ seconds: number; inside: number }> {
  const startedAt = performance.now();
  const command = [program, 'import', '--tenant', tenantId, '--file', file];
  const importer = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(importer, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { rows: counted } = await client.query<{ imported: number; inside: number }>(
    `select imported::integer, extract(epoch from finished_at - started_at)::float8 as inside from token_imports`,
  );
  if (counted[0]?.imported !== rows) throw new Error(`Only ${counted[0]?.imported} rows were imported.`);
  return { seconds, inside: counted[0].inside };
}

/** On a connection of its own, whose processor time counts once it has ended. */
async function copyBack(): Promise<number> {
  const copier = new pg.Client({ connectionString: postgres.url });
  await copier.connect();
  const startedAt = performance.now();
  for (const table of tables) await copier.query(`copy ${table} (${columns.get(table)}) from '${rowsOf(table)}'`);
  const seconds = (performance.now() - startedAt) / 1_000;
  await copier.end();
  return seconds;
}

/** Seconds that programs started here, and connections to the database, have used and that have ended since. */
async function processorTimes(): Promise<{ program: number; database: number }> {
  const { rows: backends } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const [, parent = ''] = await statOf(backends[0]?.pid ?? 0);
  // The server counts a connection when it has noticed its end.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { program: secondsOfChildren(await statOf('self')), database: secondsOfChildren(await statOf(parent)) };
}

/** proc(5): the fields after the name, which may hold blanks; state, parent and so on. */
async function statOf(process: number | string): Promise<string[]> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Fields 16 and 17, in ticks of ten milliseconds. */
function secondsOfChildren(stat: readonly string[]): number {
  return (Number(stat[13]) + Number(stat[14])) / 100;
}
