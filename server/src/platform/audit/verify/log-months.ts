import type { Database } from '../../database/database.ts';

/** The numbers of a tenant's first and last checkpoint of a month, which is its first day. */
export interface MonthBounds {
  readonly tenantId: string;
  readonly month: string;
  readonly first: number;
  readonly last: number;
}

/** Returns the first and the last checkpoint of a month for each tenant that has one. */
export async function listMonthBounds(database: Database, month: string): Promise<MonthBounds[]> {
  const rows = await database.forSealer((tx) =>
    tx.query<{ tenant_id: string; first: string; last: string }>({
      text: `select tenant_id, min(number) as first, max(number) as last from audit_checkpoints
        where month = $1 group by tenant_id order by tenant_id`,
      values: [month],
    }),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, month, first: Number(row.first), last: Number(row.last) }));
}

/** The newest checkpoint of a month in the log of a tenant. The month is its first day. */
interface MonthEnd {
  readonly month: string;
  readonly number: number;
  readonly root: string;
}

/** Lists the months of a tenant's log whose records are no longer in the database, oldest first. */
export async function listMonthsDropped(database: Database, tenantId: string): Promise<MonthEnd[]> {
  const ends = await database.forSealer((tx) =>
    tx.query<MonthEnd>({
      text: `select distinct on (month) month::text, number::float8 as number, encode(root, 'base64') as root
        from audit_checkpoints where tenant_id = $1 order by month, number desc`,
      values: [tenantId],
    }),
  );
  const kept = await listMonthsKept(
    database,
    ends.map(({ month }) => month),
  );
  return ends.filter(({ month }) => !kept.has(month));
}

/**
 * Returns the months for which a partition can still contain records. It uses the bounds of the partitions, because
 * their names are not reliable.
 */
export async function listMonthsKept(database: Database, months: readonly string[]): Promise<Set<string>> {
  const bound = (word: string, otherwise: string) =>
    `coalesce(substring(pg_get_expr(part.relpartbound, part.oid) from '${word} \\(''([^'']+)''\\)')::timestamptz, '${otherwise}')`;
  const rows = await database.forSealer((tx) =>
    tx.query<{ month: string }>({
      text: `select month from unnest($1::text[]) as month
        where exists (select from pg_inherits join pg_class part on part.oid = inhrelid
          where inhparent = 'public.audit_records'::regclass
            and ${bound('FROM', '-infinity')} < (month::date + interval '1 month') at time zone 'UTC'
            and ${bound('TO', 'infinity')} > month::date::timestamp at time zone 'UTC')`,
      values: [[...new Set(months)]],
    }),
  );
  return new Set(rows.map(({ month }) => month));
}
