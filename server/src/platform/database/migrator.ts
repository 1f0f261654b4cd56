import pg from 'pg';
import { type Migration, readMigrations } from './migration-files.ts';

/** Chosen once; every version of Strongroom takes the same lock, so two never migrate at the same time. */
const migrationLock = 7_120_460_351;

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly is_breaking: boolean;
}

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly version: number;
}

/** Brings the database to the newest schema. Safe to start several times at once: one works, the others wait. */
export async function migrate(ownerUrl: string, migrations?: readonly Migration[]): Promise<MigrationReport> {
  const known = migrations ?? (await readMigrations());
  return withOwner(ownerUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(`create table if not exists schema_migrations (
      version integer not null,
      name text not null,
      checksum text not null,
      is_breaking boolean not null,
      applied_at timestamptz not null default now(),
      constraint schema_migrations_pkey primary key (version)
    )`);
    const done = await readApplied(client);
    requireSameHistory(known, done);

    const pending = known.slice(done.length);
    for (const migration of pending) await apply(client, migration);
    await client.query(
      "do $$ begin if to_regrole('strongroom_app') is not null then grant select on schema_migrations to strongroom_app, strongroom_system; end if; end $$",
    );
    return { applied: pending.map(({ name }) => name), version: Math.max(known.length, done.length) };
  });
}

/** Refuses to go on with a schema that this binary does not fit, and says what to do about it. */
export async function requireFittingSchema(url: string, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations());
  await withOwner(url, async (client) => {
    const done = (await isPrepared(client)) ? await readApplied(client) : [];
    requireSameHistory(known, done);
    if (done.length < known.length) {
      throw new Error(
        `The database has ${done.length} of ${known.length} migrations. Run \`strongroom migrate\` with this version, then start again.`,
      );
    }
  });
}

/** The version that a database has been brought to; undefined where it is not one of ours. */
export function readSchemaVersion(url: string): Promise<number | undefined> {
  return withOwner(url, async (client) =>
    (await isPrepared(client)) ? (await readApplied(client)).length : undefined,
  );
}

async function isPrepared(client: pg.Client): Promise<boolean> {
  const exists = await client.query<{ found: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as found`,
  );
  return exists.rows[0]?.found === true;
}

async function withOwner<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'strongroom migrate',
  });
  await client.connect().catch((error: unknown) => {
    const reason = error instanceof Error && error.message !== '' ? ` (${error.message})` : '';
    throw new Error(
      `The database cannot be reached${reason}. Check STRONGROOM_DATABASE_URL and that PostgreSQL runs.`,
      { cause: error },
    );
  });
  try {
    return await work(client);
  } finally {
    // Ending the session also gives the lock back, whatever happened.
    await client.end();
  }
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const result = await client.query<AppliedMigration>(
    'select version, name, checksum, is_breaking from schema_migrations order by version',
  );
  return result.rows;
}

function requireSameHistory(known: readonly Migration[], done: readonly AppliedMigration[]): void {
  for (const applied of done) {
    const migration = known[applied.version - 1];
    if (migration === undefined) {
      if (!applied.is_breaking) continue;
      throw new Error(
        `The database was migrated by a newer Strongroom (${applied.version}_${applied.name}) that this version cannot work with. Install that version or newer.`,
      );
    }
    if (migration.checksum !== applied.checksum) {
      throw new Error(
        `Migration ${applied.version}_${applied.name} differs from the one that this database was built with. Restore the original file: a merged migration is never edited.`,
      );
    }
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name, checksum, is_breaking) values ($1, $2, $3, $4)', [
      migration.version,
      migration.name,
      migration.checksum,
      migration.isBreaking,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${migration.version}_${migration.name} failed; the database is as it was before it.`, {
      cause: error,
    });
  }
}
