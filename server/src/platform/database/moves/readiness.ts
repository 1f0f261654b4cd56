import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';

/** What a database says of itself before a tenant moves from it or to it. */
export interface EndReadiness {
  readonly schema: string;
  readonly walLevel: string;
  readonly freeSlots: number;
  readonly freeSenders: number;
  readonly workers: number;
  /** True if the role sees the rows of every tenant. */
  readonly seesEverything: boolean;
  readonly isSuperuser: boolean;
}

export function findReadiness(admin: AdminSession): Promise<EndReadiness> {
  return admin.one<EndReadiness>(`select
    (select string_agg(version || ' ' || checksum, ',' order by version) from schema_migrations) as schema,
    current_setting('wal_level') as "walLevel",
    current_setting('max_replication_slots')::integer - (select count(*) from pg_replication_slots)::integer as "freeSlots",
    current_setting('max_wal_senders')::integer - (select count(*) from pg_stat_replication)::integer as "freeSenders",
    current_setting('max_logical_replication_workers')::integer as workers,
    (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "seesEverything",
    (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`);
}

export type TenantState = 'absent' | 'deleted' | 'sealing-stopped' | 'open';

export async function findTenantState(admin: AdminSession, tenantId: TenantId): Promise<TenantState> {
  const [row] = await admin.query<{ isDeleted: boolean; isStopped: boolean }>(
    `select deleted_at is not null as "isDeleted",
        exists (select from audit_seal_stops where tenant_id = $1) as "isStopped" from tenants where id = $1`,
    [tenantId],
  );
  if (row === undefined) return 'absent';
  if (row.isDeleted) return 'deleted';
  return row.isStopped ? 'sealing-stopped' : 'open';
}
