import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Progress } from '../../server/src/cli/terminal/progress.ts';
import type { BenchVault } from './bench-vault.ts';
import type { BulkFillRows, BulkFillWorkerData } from './bulk-fill-worker.ts';

const tokensPerPart = 5_000;
const tables = ['tokens', 'token_terms', 'audit_records'] as const;

/**
 * PostgreSQL settings for a vault that is filled in bulk. Nothing is replicated, so copied rows can skip the
 * write-ahead log.
 */
export const bulkFillSettings = { wal_level: 'minimal', max_wal_senders: '0' } as const;

/**
 * Fills an empty vault with tokens, bypassing its API. The vault's own code seals the rows in worker threads. The rows
 * are copied into tables without indexes, and the indexes are created afterwards. The audit records count as already
 * sealed.
 */
export async function bulkFill(vault: BenchVault, total: number): Promise<void> {
  const data = await findOwner(vault, total);
  const indexes = await dropIndexes(vault);
  await copyRows(vault, data);
  process.stderr.write('Making indexes\n');
  await vault.withDatabase(async (client) => {
    await client.query(`set maintenance_work_mem = '1GB'`);
    for (const statement of indexes) await client.query(statement);
    await client.query(
      `with minutes as (
          select tenant_id, date_trunc('minute', created_at, 'UTC') as minute, entity_type, count(*) as records
          from audit_records where sealing_order < 0 group by 1, 2, 3
        )
        insert into audit_counts (tenant_id, grain, bucket, entity_type, records)
        select tenant_id, grain, date_trunc(grain, minute, 'UTC'), entity_type, sum(records)
        from minutes, unnest(array['minute', 'hour', 'day']) as grain group by 1, 2, 3, 4
        on conflict (tenant_id, grain, bucket, entity_type) do update set records = audit_counts.records + excluded.records`,
    );
  });
  await vault.settle();
}

/** Drops the indexes. Returns the statements that create them again, primary keys first. */
function dropIndexes(vault: BenchVault): Promise<string[]> {
  return vault.withDatabase(async (client) => {
    const { rows } = await client.query<{ drop: string; make: string }>(
      `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
            else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
          -- Of a partitioned table it says ONLY, which would leave the partitions without.
          case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
            else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as make
        from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'p'
        where i.indrelid = any($1::regclass[]) order by c.oid is null`,
      [tables],
    );
    for (const { drop } of rows) await client.query(drop);
    return rows.map(({ make }) => make);
  });
}

/**
 * Copies rows into tables truncated in the same transaction, so that the rows are frozen immediately, as if vacuum had
 * run.
 */
async function copyRows(vault: BenchVault, data: BulkFillWorkerData): Promise<void> {
  const { total } = data;
  const { hostname, port, username, password } = new URL(vault.postgres.url);
  const psql = spawn(path.join(vault.postgres.binaryDirectory, 'psql'), ['-q', '-v', 'ON_ERROR_STOP=1', 'postgres'], {
    env: { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password) },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(psql, 'exit') as Promise<[number]>;
  // These records precede all others in the sealing order, so they count as already sealed.
  psql.stdin.write(`create sequence filled_order minvalue ${-total} start ${-total};
    begin; truncate ${tables.join(', ')};
    alter table audit_records alter column sealing_order set default nextval('filled_order');\n`);

  const progress = new Progress('Filling', true);
  const starts = Array.from({ length: Math.ceil(total / tokensPerPart) }, (_, part) => part * tokensPerPart);
  const state = { done: 0, writing: Promise.resolve() };
  await Promise.all(
    cpus().map(async () => {
      const worker = new Worker(new URL('bulk-fill-worker.ts', import.meta.url), { workerData: data });
      for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
        const count = Math.min(tokensPerPart, total - start);
        worker.postMessage({ start, count }, []);
        const [rows] = (await once(worker, 'message')) as [BulkFillRows];
        state.writing = state.writing.then(() => writePart(psql.stdin, rows));
        await state.writing;
        state.done += count;
        progress.update(state.done, total);
      }
      await worker.terminate();
    }),
  );
  progress.end();
  psql.stdin.end(`alter table audit_records alter column sealing_order set default audit_order(pg_current_xact_id());
    update audit_sealing set sealed_to = greatest(sealed_to, 0);
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
      values ('${data.tenantId}', 'token', '{/general/high/}', 64, ${total}, now()); commit;\n`);
  const [code] = await ended;
  if (code !== 0) throw new Error('psql could not copy the rows.');
}

async function writePart(stream: Writable, { tokens, terms, records }: BulkFillRows): Promise<void> {
  await copyInto(stream, 'tokens', tokens);
  await copyInto(stream, 'token_terms', terms);
  const columns =
    'tenant_id, entity_id, created_at, id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers';
  await copyInto(stream, `audit_records (${columns})`, records);
}

async function copyInto(stream: Writable, target: string, rows: Uint8Array): Promise<void> {
  // Frozen rows cannot be copied into partitions.
  const isFrozen = !target.startsWith('audit_records');
  stream.write(`copy ${target} from stdin${isFrozen ? ' with (freeze)' : ''};\n`);
  stream.write(rows);
  if (!stream.write('\\.\n')) await once(stream, 'drain');
}

/** Finds the owner of the tokens: the application whose key creates a token. */
async function findOwner(vault: BenchVault, total: number): Promise<BulkFillWorkerData> {
  const { id } = JSON.parse(await vault.request('POST', '/tokens', { type: 'token', data: 'first' })) as { id: string };
  const { rows } = await vault.withDatabase((client) =>
    client.query<{ tenant_id: string; actor_id: string; key_id: string; from: Date }>(
      `select tenant_id, actor_id, key_id, date_trunc('month', now(), 'UTC') as from from audit_records where entity_id = $1`,
      [id],
    ),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A token has no record.');
  await vault.request('DELETE', `/tokens/${id}`);
  return {
    settings: vault.settings,
    tenantId: row.tenant_id,
    applicationId: row.actor_id,
    keyId: row.key_id,
    total,
    from: row.from.getTime(),
    to: Date.now(),
  };
}
