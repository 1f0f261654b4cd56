import pg from 'pg';
import { parseTenantId, type TenantId } from '../../../core/identity/ids.ts';
import { feedName } from '../changes/change-feed.ts';
import { isClosed } from '../closed-tenant-sql.ts';
import type { Database } from '../database.ts';
import { type DiskReading, diskText } from './disk-space.ts';
import { unreachable } from '../connections/outage.ts';

const versionMin = 150_000;

interface Inspection {
  readonly version: string;
  readonly version_number: number;
  readonly is_member: boolean;
  readonly bypasses: boolean;
  readonly owned: number;
  readonly unprotected: string[];
}

const inspectText = `select
  current_setting('server_version') as version,
  current_setting('server_version_num')::integer as version_number,
  coalesce(pg_has_role(current_user, to_regrole('strongroom_app'), 'member'), false) as is_member,
  coalesce((select rolsuper or rolbypassrls from pg_roles where rolname = 'strongroom_app'), false) as bypasses,
  (select count(*)::integer from pg_class where relowner = to_regrole('strongroom_app')) as owned,
  array(select c.relname::text from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and not (c.relrowsecurity and c.relforcerowsecurity)
      and (exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
        or has_table_privilege(to_regrole('strongroom_app'), c.oid, 'insert, update, delete')
        or has_table_privilege(to_regrole('strongroom_system'), c.oid, 'insert, update, delete')
        or has_table_privilege(to_regrole('strongroom_portal'), c.oid, 'insert, update, delete'))
    order by 1) as unprotected`;

/** Inspects a database before it is used. Throws only if it cannot be reached. */
export async function inspectDatabase(url: string): Promise<{ name: string; isOk: boolean; detail: string }[]> {
  const found = await inspect(url);
  return [
    {
      name: 'database',
      isOk: found.version_number >= versionMin,
      detail: `PostgreSQL ${found.version}${found.version_number >= versionMin ? '' : ': version 15 or newer is needed'}`,
    },
    {
      name: 'application role',
      isOk: found.is_member && !found.bypasses && found.owned === 0,
      detail: describeRole(found),
    },
    {
      name: 'row-level security',
      isOk: found.unprotected.length === 0,
      detail:
        found.unprotected.length === 0
          ? 'forced on every table that the application writes'
          : `not forced on ${found.unprotected.join(', ')}: restore it with "alter table … enable row level security, force row level security"`,
    },
  ];
}

/**
 * Returns the name of the database that a URL leads to. It queries the server, because a URL may omit the name and rely
 * on a default.
 */
export async function findDatabaseName(url: string): Promise<string> {
  const [row] = await ask<{ name: string }>(url, 'select current_database()::text as name');
  return row?.name ?? '';
}

/** Returns the information about PostgreSQL's disk that this login may see. */
export async function readDisk(url: string): Promise<DiskReading> {
  const [row] = await ask<DiskReading>(url, diskText);
  if (row === undefined) throw new Error('The database returned no rows.');
  return row;
}

/** Returns true if a connection of this login is encrypted all the way to PostgreSQL. */
export async function isEncrypted(url: string): Promise<boolean> {
  const [row] = await ask<{ ssl: boolean }>(url, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  return row?.ssl === true;
}

/** Lists the root keys that wrap at least one key in this database, with own root keys of tenants. */
export function listRootKeys(database: Database): Promise<string[]> {
  return database.forSystem(async (tx) => {
    const rows = await tx.query<{ rootKey: string }>({
      text: 'select root_key as "rootKey" from system_keys union select root_key from tenant_keys',
    });
    return rows.map(({ rootKey }) => rootKey);
  });
}

/** Lists all tenants in a fixed order, except those that have moved away or have not arrived yet. */
export function listTenantIds(database: Database): Promise<TenantId[]> {
  return database.forSystem(async (tx) => {
    const rows = await tx.query<{ id: string }>({
      text: `select id from tenants where not ${isClosed('tenants.id')} order by id`,
    });
    return rows.map(({ id }) => parseTenantId(id));
  });
}

/** Lists what each connected server reports about itself. The mark is empty for a version that reports nothing. */
export async function listServerMarks(url: string): Promise<string[]> {
  const rows = await ask<{ mark: string }>(
    url,
    `select ltrim(substr(application_name, length($1) + 1)) as mark from pg_stat_activity
      where datname = current_database() and starts_with(application_name, $1)`,
    [feedName],
  );
  return rows.map(({ mark }) => mark);
}

function describeRole({ is_member, bypasses, owned }: Inspection): string {
  if (!is_member)
    return 'strongroom_app is missing or not granted to this login: run `strongroom migrate`, then "grant strongroom_app, strongroom_system, strongroom_portal to <login>"';
  if (bypasses)
    return 'strongroom_app can bypass row-level security: "alter role strongroom_app nosuperuser nobypassrls"';
  if (owned > 0)
    return 'strongroom_app owns tables: transfer them to the owner role with "reassign owned by strongroom_app to <owner>"';
  return 'strongroom_app owns nothing and bypasses nothing';
}

async function inspect(url: string): Promise<Inspection> {
  const [row] = await ask<Inspection>(url, inspectText);
  if (row === undefined) throw new Error('The database returned no rows.');
  return row;
}

async function ask<Row extends object>(url: string, text: string, values: readonly string[] = []): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'strongroom doctor',
  });
  try {
    await client.connect();
    return (await client.query<Row>(text, [...values])).rows;
  } catch (error) {
    throw unreachable(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
