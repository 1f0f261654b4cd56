import { Progress } from '../../server/src/cli/terminal/progress.ts';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { cardLine } from './card-line.ts';
import { median } from './median.ts';
import { endedMs, endedPostgresMs } from './postgres-processor-time.ts';

/*
 * Measures the speed of an import. It runs the program on a file of cards, as an operator would, and measures the whole
 * lifetime of the process. The program reads, validates and seals each card, and writes it with its terms, counters and
 * an audit record. Then the resulting rows are removed and restored into the same tables with the same indexes by COPY,
 * the fastest method that PostgreSQL has. The result is the ratio of the two. Processor time is reported too, because
 * an import uses two processors and a COPY only one, so other load on the machine slows an import more.
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
// PostgreSQL runs as another user, and must be able to read and write files here.
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

/** Lists the columns that are not generated. */
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

/** Empties the tables, so that both measurements start without dead rows and without a pending checkpoint. */
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

/** Copies the rows back on a separate connection, whose processor time is counted when the connection ends. */
async function copyBack(): Promise<number> {
  const copier = new pg.Client({ connectionString: postgres.url });
  await copier.connect();
  const startedAt = performance.now();
  for (const table of tables) await copier.query(`copy ${table} (${columns.get(table)}) from '${rowsOf(table)}'`);
  const seconds = (performance.now() - startedAt) / 1_000;
  await copier.end();
  return seconds;
}

/** Returns the processor time in seconds of all child processes and database connections that have ended. */
async function processorTimes(): Promise<{ program: number; database: number }> {
  // The server includes the time of a connection only after it has noticed that the connection ended.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { program: (await endedMs('self')) / 1_000, database: (await endedPostgresMs(postgres)) / 1_000 };
}
