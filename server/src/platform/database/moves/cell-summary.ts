import type { AdminSession } from './admin-session.ts';

/** What there is to know of a cell at a glance. */
export interface CellSummary {
  /** The number of migrations, which tells versions apart. */
  readonly schema: number;
  readonly tenants: number;
  readonly tokens: number;
  /** Tokens created per day, on average of the last seven whole days. */
  readonly tokensPerDay: number;
  readonly bytes: number;
  /** When PostgreSQL last archived its write-ahead log. Null if it does not. */
  readonly archivedAt: Date | null;
}

/** A key whose text leads to another cell than the one in which its tenant is. */
export interface MovedKey {
  readonly keyId: string;
  readonly cell: string;
}

export function findSummary(admin: AdminSession): Promise<CellSummary> {
  return admin.one<CellSummary>(`select
    (select max(version) from schema_migrations) as schema,
    (select count(*)::integer from tenants t where ${isHere('t.id')}) as tenants,
    (select coalesce(sum(t.tokens), 0)::float8 from token_totals t where ${isHere('t.tenant_id')}) as tokens,
    (select coalesce(sum(f.records), 0)::float8 / 7 from audit_facets f
      where f.field = 'operation' and f.value = 'create' and f.grain = 'day' and f.entity_type in ('bank', 'card', 'token')
        and f.bucket >= date_trunc('day', now(), 'UTC') - interval '7 days' and f.bucket < date_trunc('day', now(), 'UTC')
        and ${isHere('f.tenant_id')}) as "tokensPerDay",
    pg_database_size(current_database())::float8 as bytes,
    (select last_archived_time from pg_stat_archiver) as "archivedAt"`);
}

function isHere(column: string): string {
  return `not exists (select from tenant_moves m where m.tenant_id = ${column} and m.closed_until = 'infinity')`;
}

/** Lists the keys that have left the cell, or have come to it and name another one. */
export async function listMovedKeys(admin: AdminSession, cell: string): Promise<MovedKey[]> {
  return admin.query<MovedKey>(
    `select k.id::text as "keyId", case m.direction when 'in' then $1 else m.cell end as cell
      from tenant_moves m cross join unnest(m.key_ids) as k(id)
      where m.decided_at is not null
        and not (m.direction = 'in' and exists (
          select from tenant_moves o where o.tenant_id = m.tenant_id and o.direction = 'out' and o.decided_at is not null))
      order by 1`,
    [cell],
  );
}
