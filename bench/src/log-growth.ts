import { parseArgs } from 'node:util';
import { Progress } from '../../server/src/cli/terminal/progress.ts';
import pg from 'pg';
import { BenchVault } from './bench-vault.ts';
import { measureInTurn, type Operations } from './measure-in-turn.ts';

/*
 * Measures whether reading the audit log gets slower as the log grows. Two vaults with logs of different lengths run
 * side by side, and every query is run on both in turn. The records are inserted with SQL, spread over four months, and
 * sealed by the product.
 */
const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const ratioMax = 1.2;
const recordsPerTransaction = 1_000;

interface Subject {
  readonly vault: BenchVault;
  readonly from: string;
  readonly to: string;
}

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const someone = () => id(Math.floor(Math.random() * 20));

const paths: Readonly<Record<string, (subject: Subject) => string>> = {
  'first page': () => '/logs',
  'page 100': () => '/logs?page=100&size=20',
  'by kind': () => '/logs?entity_type=card',
  'by rare kind': () => '/logs?entity_type=member',
  'by entity': () => `/logs?entity_id=entity-${Math.floor(Math.random() * 400)}`,
  'by time': ({ from, to }) => `/logs?start_date=${from}&end_date=${to}`,
  'by time and kind': ({ from, to }) => `/logs?start_date=${from}&end_date=${to}&entity_type=bank`,
  'by actor': () => `/logs?actor_id=${someone()}`,
  'by actor type': () => '/logs?actor_type=application',
  'by key': () => `/logs?key_id=${someone()}`,
  'by rare key': () => `/logs?key_id=${id(999)}`,
  'by address': () => `/logs?source_address=192.0.2.${Math.floor(Math.random() * 200)}`,
  'by operation': () => '/logs?operation=update',
  'by outcome': () => '/logs?outcome=denied',
  'by transform': () => '/logs?transform=reveal',
  'by destination': () => '/logs?destination=api.example.com',
  'by request': () => `/logs?request_id=request-${1 + Math.floor(Math.random() * 10_000)}`,
  'by key and kind': () => `/logs?key_id=${someone()}&entity_type=bank`,
  'by key and time': ({ from, to }) => `/logs?key_id=${someone()}&start_date=${from}&end_date=${to}`,
  'counts each day': ({ from, to }) => `/logs/counts?start_date=${from}&end_date=${to}`,
  'counts of a key': ({ from, to }) => `/logs/counts?key_id=${someone()}&start_date=${from}&end_date=${to}`,
  'values of every field': ({ from, to }) => `/logs/facets?start_date=${from}&end_date=${to}`,
  'state of the seal': () => '/logs/seal',
  'by rare key and transform': () => `/logs?key_id=${id(999)}&transform=reveal`,
};

const questions: Operations<Subject> = Object.fromEntries(
  Object.entries(paths).map(([name, path]) => [
    name,
    (subject: Subject) => subject.vault.request('GET', path(subject), undefined, subject.vault.managementKey),
  ]),
);

async function prepare(count: number): Promise<Subject> {
  const vault = await BenchVault.start();
  const client = new pg.Client({ connectionString: vault.postgres.url });
  await client.connect();
  await client.query('set synchronous_commit = off');
  const { rows: tenants } = await client.query<{ id: string }>('select id from tenants');
  const progress = new Progress('Filling', true);
  for (let done = 0; done < count; done += recordsPerTransaction) {
    // At any log length, every entity has about 25 records, and so does one key. One entity type is rare: one record in
    // five thousand has it.
    await client.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, actor_id, actor_type,
          key_id, request_id, source_address, transform, destination)
        select $1, date_trunc('month', now()) + interval '110 days' * (n::float8 / $2),
          case when n % 5000 = 0 then 'member' else (array['token', 'card', 'bank'])[1 + n % 3] end,
          'entity-' || n % ($2 / 25), case when n % 10 = 0 then 'update' else 'read' end,
          case when n % 50 = 0 then 'denied' else 'success' end,
          ('00000000-0000-4000-8000-' || lpad((n % 20)::text, 12, '0'))::uuid, 'application',
          ('00000000-0000-4000-8000-' || lpad((case when n % ($2 / 25) = 0 then 999 else n % 20 end)::text, 12, '0'))::uuid,
          'request-' || n, '192.0.2.' || n % 200, (array['redact', 'mask', 'reveal'])[1 + n % 3],
          case when n % 7 = 0 then 'api.example.com' end
        from generate_series($3::int, least($3 + $4 - 1, $2)::int) n`,
      [tenants[0]?.id, count, done + 1, recordsPerTransaction],
    );
    progress.update(Math.min(count, done + recordsPerTransaction), count);
  }
  for (let isSealed = false; !isSealed; ) {
    const { rows } = await client.query<{ sealed: string }>(
      `select coalesce(sum(records), 0) as sealed from audit_facets where field = 'operation' and grain = 'day'`,
    );
    isSealed = Number(rows[0]?.sealed) >= count;
    progress.update(Number(rows[0]?.sealed), count);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  progress.end();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows: middle } = await client.query<{ from: Date; to: Date }>(
    `select date_trunc('month', now()) + interval '20 days 3 hours 7 minutes' as from,
      date_trunc('month', now()) + interval '61 days 5 hours 11 minutes' as to`,
  );
  await client.end();
  return { vault, from: middle[0]?.from.toISOString() ?? '', to: middle[0]?.to.toISOString() ?? '' };
}

const subjects = [await prepare(Number(values.small)), await prepare(Number(values.large))];
const rows = await measureInTurn(subjects, questions, rounds);
if (values.json) process.stdout.write(`${JSON.stringify({ sizes: values, rounds, rows })}\n`);
await Promise.all(subjects.map(({ vault }) => vault.stop()));
if (rows.some(({ ratio }) => ratio > ratioMax)) process.exitCode = 1;
