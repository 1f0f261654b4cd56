import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { listTenantTables, ofTenant } from './moved-tables.ts';

const rowsPerStep = 5_000;
/** Tables that say that the tenant is being moved, or was. */
const ownTables = new Set(['tenant_moves', 'tenant_move_marks']);
/** Lists the tables that have rows of the tenant, except those about its moves. */
export async function listTablesWithRows(admin: AdminSession, tenantId: TenantId): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await listTenantTables(admin)) {
    if (ownTables.has(name)) continue;
    const rows = await admin.query(`select 1 from ${name} where ${ofTenant(name, tenantId)} limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/**
 * Deletes the rows of the tenant from all tables, some thousand at a time. Neither triggers nor foreign keys
 * take part: every table with rows of the tenant is emptied by itself.
 */
export async function deleteTenantRows(admin: AdminSession, tenantId: TenantId): Promise<number> {
  let deleted = 0;
  for (const { name } of await listTenantTables(admin)) {
    if (ownTables.has(name)) continue;
    for (;;) {
      const { rows } = await withoutTriggers(admin, () =>
        admin.one<{ rows: number }>(`with gone as (
            delete from ${name} where ${ofTenant(name, tenantId)} and (tableoid, ctid) in (
              select tableoid, ctid from ${name} where ${ofTenant(name, tenantId)} limit ${rowsPerStep}) returning 1)
          select count(*)::integer as rows from gone`),
      );
      deleted += rows;
      if (rows < rowsPerStep) break;
    }
  }
  return deleted;
}

/**
 * Runs a transaction in which neither triggers nor foreign keys take part, as in the process that applies replicated
 * rows.
 */
export function withoutTriggers<T>(admin: AdminSession, work: () => Promise<T>): Promise<T> {
  return admin.transaction(async () => {
    await admin.query('set local session_replication_role to replica');
    return work();
  });
}

/** Lists the months of which a vault has a table, such as `2026_05`. */
export async function listMonths(admin: AdminSession): Promise<string[]> {
  const rows = await admin.query<{ month: string }>(
    `select right(c.relname, 7) as month from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'audit_records'::regclass and c.relname ~ '^audit_records_[0-9]{4}_[0-9]{2}$' order by 1`,
  );
  return rows.map(({ month }) => month);
}

/** Lists the months in which the tenant has records that were sealed, such as `2026_05`. */
export async function listSealedMonths(admin: AdminSession, tenantId: TenantId): Promise<string[]> {
  const rows = await admin.query<{ month: string }>(
    `select distinct to_char(month, 'YYYY_MM') as month from audit_checkpoints where tenant_id = $1 order by 1`,
    [tenantId],
  );
  return rows.map(({ month }) => month);
}

/**
 * Creates the tables of months that the log needs. They are attached without stopping anyone, and belong to the owner
 * of the log, like those of new months.
 */
export async function ensureMonths(admin: AdminSession, months: readonly string[]): Promise<void> {
  const present = new Set(await listMonths(admin));
  const { owner } = await admin.one<{ owner: string }>(
    `select quote_ident(pg_get_userbyid(relowner)) as owner from pg_class where oid = 'audit_records'::regclass`,
  );
  for (const month of months.filter((each) => !present.has(each))) {
    if (!/^\d{4}_(0[1-9]|1[0-2])$/.test(month)) throw new TypeError('A month is a year and a number.');
    const first = `${month.replace('_', '-')}-01`;
    const name = `audit_records_${month}`;
    await admin.transaction(async () => {
      await admin.query(`select pg_advisory_xact_lock(hashtext('ensure_audit_partitions'))`);
      await admin.query(`create table ${name} (like audit_records including defaults including comments)`);
      await admin.query(`alter table ${name} owner to ${owner}`);
      await admin.query(`alter table ${name} enable row level security, force row level security`);
      await admin.query(`alter table audit_records attach partition ${name}
        for values from (timestamp '${first}' at time zone 'UTC') to ((timestamp '${first}' + interval '1 month') at time zone 'UTC')`);
    });
  }
}
