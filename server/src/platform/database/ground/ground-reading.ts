import { feedName } from '../changes/change-feed.ts';
import type { Database, Transaction } from '../database.ts';
import { type ClockReading, readClock } from './clock-offset.ts';

/**
 * The values that PostgreSQL reports about itself. A value is null if the vault's role may not see it, or if a managed
 * service hides it.
 */
interface ServerReading {
  /** True if PostgreSQL refuses every change, as with default_transaction_read_only. */
  readonly isReadOnly: boolean;
  readonly fsync: string | null;
  readonly fullPageWrites: string | null;
  readonly synchronousCommit: string | null;
  /** The number of standbys that must confirm a commit. 0 if none is configured. */
  readonly standbysNeeded: number;
  readonly standbysAttached: number | null;
  readonly standbysStreaming: number | null;
  readonly lagBytes: number | null;
  readonly archiveMode: string | null;
  readonly archivedAgeSeconds: number | null;
  readonly archiveFailingSeconds: number;
  readonly serverLimit: number;
  readonly serverUsed: number;
  readonly roleLimit: number | null;
  readonly roleUsed: number;
  readonly databaseLimit: number | null;
  readonly databaseUsed: number;
  /** The number of connected servers. `processes` also includes the workers. */
  readonly servers: number;
  readonly processes: number;
}

export interface GroundReading extends ServerReading {
  readonly clock: ClockReading;
}

/**
 * The application name by which processes are counted. Every server and worker has one connection with this name, which
 * it uses to share the keys for card verification codes.
 */
const processName = 'strongroom epochs';

const serverText = `select
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  current_setting('fsync', true) as fsync,
  current_setting('full_page_writes', true) as "fullPageWrites",
  current_setting('synchronous_commit', true) as "synchronousCommit",
  standbys.needed as "standbysNeeded", standbys.attached as "standbysAttached", standbys.streaming as "standbysStreaming",
  standbys.lag_bytes::float8 as "lagBytes",
  current_setting('archive_mode', true) as "archiveMode",
  extract(epoch from clock_timestamp() - archiver.last_archived_time)::float8 as "archivedAgeSeconds",
  case when archiver.last_failed_time > coalesce(archiver.last_archived_time, '-infinity')
    then extract(epoch from clock_timestamp() - coalesce(archiver.last_archived_time, archiver.stats_reset, archiver.last_failed_time))::float8
    else 0 end as "archiveFailingSeconds",
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - coalesce(current_setting('reserved_connections', true)::integer, 0) as "serverLimit",
  (select sum(numbackends)::integer from pg_stat_database) as "serverUsed",
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user) as "roleLimit",
  (select count(*)::integer from pg_stat_activity where usename = session_user) as "roleUsed",
  (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as "databaseLimit",
  (select numbackends from pg_stat_database where datname = current_database()) as "databaseUsed",
  (select count(*)::integer from pg_stat_activity
    where datname = current_database() and starts_with(application_name, $1)) as servers,
  (select count(*)::integer from pg_stat_activity
    where datname = current_database() and application_name = $2) as processes
from synchronous_standbys() standbys, pg_stat_archiver archiver`;

/** Reads all values that a single statement can return, and the clock. */
export function readGround(database: Database): Promise<GroundReading> {
  return database.forSystem(async (tx) => ({ ...(await readServer(tx)), clock: await readClock(tx) }));
}

async function readServer(tx: Transaction): Promise<ServerReading> {
  const [row] = await tx.query<ServerReading>({
    name: 'ground',
    text: serverText,
    values: [feedName, processName],
  });
  if (row === undefined) throw new Error('The database returned no rows.');
  return row;
}
