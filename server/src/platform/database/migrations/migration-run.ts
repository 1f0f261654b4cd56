import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Migration } from './migration-files.ts';

const lockNotAvailable = '55P03';
const insufficientPrivilege = '42501';

export interface MigrationPace {
  /** The time that a statement waits for a lock. Other statements queue behind it for at most this long. */
  readonly lockTimeoutMs: number;
  readonly pauseMs: number;
  /** The time after which the migration is no longer retried. */
  readonly patienceMs: number;
}

export const migrationPace: MigrationPace = { lockTimeoutMs: 1_000, pauseMs: 2_000, patienceMs: 5 * 60_000 };

/** Applies one migration and records it. If its tables are in use, it backs off and retries. */
export async function runMigration(client: pg.Client, migration: Migration, pace: MigrationPace): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await (migration.isTransactional ? runWhole(client, migration, pace) : runAlone(client, migration));
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw failed(migration, error);
      if (performance.now() - startedAt > pace.patienceMs) throw busy(migration, error);
      await delay(pace.pauseMs);
    }
  }
}

async function runWhole(client: pg.Client, migration: Migration, { lockTimeoutMs }: MigrationPace): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await client.query(migration.sql);
    await writeDown(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/**
 * Runs one statement that cannot run in a transaction, such as `create index concurrently`. It blocks nobody while it
 * waits, so it has no time limit. An invalid index from a failed attempt is dropped first.
 */
async function runAlone(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of await forEachPartition(client, migration.sql)) {
    const [, index] = /create (?:unique )?index concurrently (\w+)/.exec(statement) ?? [];
    const { rows } = await client.query<{ isValid: boolean }>(
      'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
      [`public.${index}`],
    );
    const isHalf = rows[0]?.isValid === false;
    if (isHalf) await client.query(`drop index concurrently public.${index}`);
    // A previous attempt completed this statement and failed at a later one.
    const isDone = rows[0]?.isValid === true && statement !== migration.sql;
    if (!isDone) await client.query(statement);
  }
  await writeDown(client, migration);
}

/**
 * Returns the statement once for each partition. PostgreSQL cannot build an index on all partitions of a table at once
 * without blocking writes, but it can build one index at a time.
 */
async function forEachPartition(client: pg.Client, sql: string): Promise<string[]> {
  const [, table] = /^-- each partition of (\w+)$/m.exec(sql) ?? [];
  if (table === undefined) return [sql];
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = to_regclass($1) order by relname`,
    [`public.${table}`],
  );
  return rows.map(({ name }) => sql.replaceAll(':partition', name));
}

async function writeDown(client: pg.Client, { version, name, checksum, isBreaking }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name, checksum, is_breaking) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    isBreaking,
  ]);
}

function failed({ version, name, isTransactional }: Migration, cause: unknown): Error {
  const state = isTransactional ? 'it changed nothing' : 'run `strongroom migrate` again';
  const isDenied = cause instanceof pg.DatabaseError && cause.code === insufficientPrivilege;
  const advice = isDenied ? ' The login has to own the database and needs CREATEROLE (`alter role … createrole`).' : '';
  return new Error(`Migration ${version}_${name} failed; ${state}.${advice}`, { cause });
}

function busy({ version, name }: Migration, cause: unknown): Error {
  return new Error(
    `Migration ${version}_${name} could not get its locks because of long-running transactions; it changed nothing. End them (see pg_stat_activity), then run \`strongroom migrate\` again.`,
    { cause },
  );
}
