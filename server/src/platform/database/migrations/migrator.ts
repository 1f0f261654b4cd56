import { setTimeout as pauseFor } from 'node:timers/promises';
import type pg from 'pg';
import { type Migration, readMigrations } from './migration-files.ts';
import { type MigrationPace, migrationPace, runMigration } from './migration-run.ts';
import { withOwnerSession } from '../connections/owner-session.ts';
import { requireNoWithdrawn } from './withdrawn-migrations.ts';

/**
 * The number of the advisory lock. It must never change: every version of Strongroom takes the same lock, so that two
 * processes never migrate at the same time.
 */
const migrationLock = 7_120_460_351;
const turnPauseMs = 100;
const turnTimeoutMs = 30 * 60_000;

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

/** Migrates the database to the newest schema. Safe to run concurrently: one process migrates and the others wait. */
export async function migrate(
  ownerUrl: string,
  migrations?: readonly Migration[],
  pace: MigrationPace = migrationPace,
): Promise<MigrationReport> {
  const known = migrations ?? (await readMigrations());
  return withOwner(
    { url: ownerUrl, variable: 'STRONGROOM_DATABASE_OWNER_URL or STRONGROOM_DATABASE_URL' },
    async (client) => {
      await takeTurn(client);
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
      for (const migration of pending) await runMigration(client, migration, pace);
      await client.query(
        "do $$ begin if to_regrole('strongroom_app') is not null then grant select on schema_migrations to strongroom_app, strongroom_system; end if; end $$",
      );
      return { applied: pending.map(({ name }) => name), version: Math.max(known.length, done.length) };
    },
  );
}

/** Throws an error with advice if the schema is not compatible with this version. */
export async function requireFittingSchema(url: string, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations());
  await withOwner({ url, variable: 'STRONGROOM_DATABASE_URL' }, async (client) => {
    const done = (await isPrepared(client)) ? await readApplied(client) : [];
    requireSameHistory(known, done);
    if (done.length < known.length) {
      throw new Error(
        `The database has ${done.length} of ${known.length} migrations. Run \`strongroom migrate\` with this version, then try again.`,
      );
    }
  });
}

async function isPrepared(client: pg.Client): Promise<boolean> {
  const exists = await client.query<{ found: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as found`,
  );
  return exists.rows[0]?.found === true;
}

function withOwner<T>(
  { url, variable }: { url: string; variable: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withOwnerSession(url, { applicationName: 'strongroom migrate', variable }, work);
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const result = await client.query<AppliedMigration>(
    'select version, name, checksum, is_breaking from schema_migrations order by version',
  );
  return result.rows;
}

/** Returns the migrations that were applied to another database, such as one that a dump was taken from. */
export async function findMigrations(
  done: readonly { readonly version: number; readonly name: string; readonly checksum: string }[],
): Promise<readonly Migration[]> {
  requireNoWithdrawn(done);
  const known = await readMigrations();
  if (done.length > known.length) {
    throw new Error('The dump is from a newer version of Strongroom. Check it with that version or a newer one.');
  }
  const built = known.slice(0, done.length);
  const checksums = new Map(done.map(({ version, checksum }) => [version, checksum]));
  if (!built.every(({ version, checksum }) => checksums.get(version) === checksum)) {
    throw new Error(
      'The migration history of the dump differs from that of this version of Strongroom. Check it with the version that wrote it.',
    );
  }
  return built;
}

function requireSameHistory(known: readonly Migration[], done: readonly AppliedMigration[]): void {
  requireNoWithdrawn(done);
  for (const applied of done) {
    const migration = known[applied.version - 1];
    if (migration === undefined) {
      if (!applied.is_breaking) continue;
      throw new Error(
        `The database was migrated by a newer Strongroom (${applied.version}_${applied.name}) that this version is not compatible with. Install that version or a newer one.`,
      );
    }
    if (migration.checksum !== applied.checksum) {
      throw new Error(
        `Migration ${applied.version}_${applied.name} differs from the one that was applied to this database. Restore the original file: released migrations must not be edited.`,
      );
    }
  }
}

/**
 * Waits until no other process is migrating. It polls instead of waiting inside PostgreSQL: if the other process builds
 * an index concurrently, the build waits for every running statement, so the two processes would deadlock.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  const end = performance.now() + turnTimeoutMs;
  while (performance.now() < end) {
    const { rows } = await client.query<{ isLocked: boolean }>('select pg_try_advisory_lock($1) as "isLocked"', [
      migrationLock,
    ]);
    if (rows[0]?.isLocked === true) return;
    await pauseFor(turnPauseMs);
  }
  throw new Error(
    'Another migration of this database has been running for 30 minutes. Look at what it waits for, then try again.',
  );
}
