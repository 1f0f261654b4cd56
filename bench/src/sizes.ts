import { parseArgs } from 'node:util';
import { askAll } from './ask-all.ts';
import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { postgresProcessorMs } from './postgres-processor-time.ts';
import { untilSealed } from './until-sealed.ts';

/*
 * Measures what a token and a record cost PostgreSQL: bytes in each table and index, processor time including sealing,
 * and the size of the write-ahead log right after a checkpoint, when every page that a request changes is logged in
 * full. It stores cards with one metadata pair and reads each once. The vault chooses the ids, so that indexes grow as
 * they do in production.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '64' },
    /**
     * The number must be small compared with the number of pages in an index. Otherwise several requests change the
     * same page.
     */
    'after-checkpoint': { type: 'string', default: '200' },
  },
});
const tokens = Number(values.tokens);
const clients = Number(values.clients);
const few = Number(values['after-checkpoint']);

const sizesText = `select case when i.indexrelid is null then 'table ' else 'index ' end
      || regexp_replace(c.relname, '_\\d{4}_\\d{2}', '') as name,
    sum(pg_relation_size(c.oid))::float8 as bytes
  from pg_class c left join pg_index i on i.indexrelid = c.oid
  where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace group by 1`;
type Sizes = ReadonlyMap<string, number>;

function readSizes(vault: BenchVault): Promise<Sizes> {
  return vault.withDatabase(async (client) => {
    const { rows } = await client.query<{ name: string; bytes: number }>(sizesText);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  });
}

async function settled(vault: BenchVault): Promise<Sizes> {
  await untilSealed(vault);
  await vault.settle();
  return readSizes(vault);
}

/** Returns the milliseconds of PostgreSQL's processor time per request, including the sealing of its record. */
async function processorTime(
  vault: BenchVault,
  requests: number,
  ask: (number: number) => Promise<void>,
): Promise<number> {
  const before = await postgresProcessorMs(vault.postgres);
  await askAll({ clients, requests }, ask);
  await untilSealed(vault);
  return ((await postgresProcessorMs(vault.postgres)) - before) / requests;
}

/** Returns the bytes of write-ahead log per request, for a few requests. */
async function walAfterCheckpoint(vault: BenchVault, ask: (number: number) => Promise<void>): Promise<number> {
  const position = (from: string) =>
    vault.withDatabase(async (client) => {
      const { rows } = await client.query<{ bytes: number; lsn: string }>(
        'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 as bytes, pg_current_wal_insert_lsn()::text as lsn',
        [from],
      );
      return rows[0] ?? { bytes: Number.NaN, lsn: '' };
    });
  await vault.withDatabase((client) => client.query('checkpoint'));
  const { lsn } = await position('0/0');
  await askAll({ clients, requests: few }, ask);
  return (await position(lsn)).bytes / few;
}

function print(title: string, before: Sizes, after: Sizes): void {
  process.stdout.write(`\n| ${title} | Bytes each |\n| --- | --- |\n`);
  const grown = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / tokens }))
    .filter(({ bytes }) => bytes >= 0.5)
    .toSorted((a, b) => b.bytes - a.bytes);
  for (const { name, bytes } of grown) process.stdout.write(`| ${name} | ${bytes.toFixed(0)} |\n`);
  process.stdout.write(`| together | ${grown.reduce((sum, { bytes }) => sum + bytes, 0).toFixed(0)} |\n`);
}

const { id: _known, ...card } = cardOf(0);
const cardWithPair = (index: number) => ({
  ...card,
  data: cardOf(index).data,
  metadata: { customer: `customer-${index}` },
});

const vault = await BenchVault.start('apart');
const worker = await vault.startWorker();
const empty = await settled(vault);
await fill(vault, tokens, cardWithPair);
const filled = await settled(vault);
const ids = await vault.withDatabase(async (client) => {
  const { rows } = await client.query<{ id: string }>('select id from tokens order by id');
  return rows.map(({ id }) => id);
});
const get = async (number: number) => void (await vault.request('GET', `/tokens/${ids[number]}`));
const create = async (number: number) => void (await vault.request('POST', '/tokens', cardWithPair(tokens + number)));
const readMs = await processorTime(vault, tokens, get);
const read = await settled(vault);
const createMs = await processorTime(vault, Math.ceil(tokens / 10), create);
await worker.stop();
// Consecutive ids are in the same few pages, so ids are picked from the whole range.
const anywhere = (number: number) => get(Math.floor(((number + 0.5) * tokens) / few));
const createWal = await walAfterCheckpoint(vault, (number) => create(tokens + number));
const readWal = await walAfterCheckpoint(vault, anywhere);
await vault.stop();

print(`A card with one metadata pair and its record, ${tokens} of them`, empty, filled);
print(`The record of a read, ${tokens} of them`, filled, read);
process.stdout.write(
  `\nProcessor time of PostgreSQL with ${clients} clients: ${createMs.toFixed(2)} ms a create, ${readMs.toFixed(2)} ms a read\n`,
);
process.stdout.write(
  `\nWAL right after a checkpoint: ${createWal.toFixed(0)} bytes a create, ${readWal.toFixed(0)} a read\n`,
);
