import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { type MovedTable, ofTenant } from './moved-tables.ts';

/** Returns the name of the publication, the slot and the subscription of a tenant. */
export function replicationNameOf(tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `strongroom_move_${tenantId.replaceAll('-', '')}`;
}

/**
 * Creates the publication and the slot in the source, unless they exist. Row filters do not apply to TRUNCATE, which
 * would empty the target's table for all of its tenants, so it is not published.
 */
export async function ensurePublication(
  source: AdminSession,
  tenantId: TenantId,
  tables: readonly MovedTable[],
): Promise<void> {
  const name = replicationNameOf(tenantId);
  const [published] = await source.query('select 1 from pg_publication where pubname = $1', [name]);
  if (published === undefined) {
    const parts = tables.map(({ name: table, columns, isPartial }) => {
      const list = isPartial ? ` (${columns.join(', ')})` : '';
      return `${table}${list} where (${ofTenant(table, tenantId)})`;
    });
    await source.query(
      `create publication ${name} for table ${parts.join(', ')}
        with (publish = 'insert, update, delete', publish_via_partition_root = true)`,
    );
  }
  const [slot] = await source.query('select 1 from pg_replication_slots where slot_name = $1', [name]);
  if (slot === undefined) await source.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [name]);
}

/** Keeps a statement that contains a password out of the server's log. */
const unlogged = `set local log_statement to 'none'; set local log_min_error_statement to 'panic';
  set local log_min_duration_statement to -1; set local log_min_duration_sample to -1; set local log_transaction_sample_rate to 0`;

/** Creates the subscription in the target, unless it exists. The address must lead from there to the source. */
export async function ensureSubscription(target: AdminSession, tenantId: TenantId, sourceUrl: string): Promise<void> {
  const name = replicationNameOf(tenantId);
  const [found] = await target.query('select 1 from pg_subscription where subname = $1', [name]);
  if (found !== undefined) return;
  const address = sourceUrl.replaceAll("'", "''");
  const { version } = await target.one<{ version: number }>(
    `select current_setting('server_version_num')::integer as version`,
  );
  await target.transaction(async () => {
    await target.query(unlogged);
    await target.query(`create subscription ${name} connection '${address}' publication ${name}
      with (create_slot = false, slot_name = '${name}'${isRunAsTableOwner(version) ? ', run_as_owner = true' : ''})`);
  });
}

/**
 * From version 16 on, PostgreSQL applies rows as the owner of the table unless told otherwise, and the row-level
 * security of our tables is forced on owners, too.
 */
export function isRunAsTableOwner(version: number): boolean {
  return version >= 160_000;
}

export interface CopyProgress {
  readonly tables: number;
  readonly copied: number;
  readonly failures: number;
}

export async function findCopyProgress(target: AdminSession, tenantId: TenantId): Promise<CopyProgress> {
  return target.one<CopyProgress>(
    `select count(*)::integer as tables, count(*) filter (where r.srsubstate = 'r')::integer as copied,
      coalesce(max(e.apply_error_count + e.sync_error_count), 0)::integer as failures
    from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid
    left join pg_stat_subscription_stats e on e.subid = s.oid where s.subname = $1`,
    [replicationNameOf(tenantId)],
  );
}

/** Drops the subscription in the target. It does not need the source, which may be gone. */
export async function dropSubscription(target: AdminSession, tenantId: TenantId): Promise<void> {
  const name = replicationNameOf(tenantId);
  const [found] = await target.query('select 1 from pg_subscription where subname = $1', [name]);
  if (found === undefined) return;
  await target.query(`alter subscription ${name} disable`);
  await target.query(`alter subscription ${name} set (slot_name = none)`);
  await target.query(`drop subscription ${name}`);
}

/**
 * Drops the slots and the publication in the source. Slots with which tables were copied name the subscription's number
 * and not the tenant, so those of the target are recognised by its system identifier.
 */
export async function dropPublication(
  source: AdminSession,
  { tenantId, targetSystem }: { readonly tenantId: TenantId; readonly targetSystem: string },
): Promise<void> {
  const name = replicationNameOf(tenantId);
  const slots = `from pg_replication_slots where slot_name = $1
    or (slot_name ~ '^pg_[0-9]+_sync_[0-9]+_' and right(slot_name, length($2)) = $2 and not active)`;
  await source.query(
    `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1 and active`,
    [name],
  );
  for (let attempt = 0; ; attempt += 1) {
    try {
      await source.query(`select pg_drop_replication_slot(slot_name) ${slots}`, [name, targetSystem]);
      break;
    } catch (error) {
      if (attempt === 50) throw slotInUse(name, error);
      await source.query('select pg_sleep(0.1)');
    }
  }
  await source.query(`drop publication if exists ${name}`);
}

export async function findSystemIdentifier(admin: AdminSession): Promise<string> {
  const { id } = await admin.one<{ id: string }>('select system_identifier::text as id from pg_control_system()');
  return id;
}

function slotInUse(name: string, cause: unknown): OperatorError {
  return Object.assign(
    new OperatorError(`The replication slot ${name} is still in use. Run the command again in a minute.`),
    { cause },
  );
}

/** Writes the next mark in the source. Everything committed before it arrives before it. */
export async function writeMark(source: AdminSession, tenantId: TenantId): Promise<string> {
  const { number } = await source.one<{ number: string }>(
    `insert into tenant_move_marks as m (tenant_id, number) values ($1, 1)
      on conflict (tenant_id) do update set number = m.number + 1 returning number::text`,
    [tenantId],
  );
  return number;
}

export async function hasMark(target: AdminSession, tenantId: TenantId, number: string): Promise<boolean> {
  const rows = await target.query('select 1 from tenant_move_marks where tenant_id = $1 and number >= $2::bigint', [
    tenantId,
    number,
  ]);
  return rows.length > 0;
}

export async function deleteMarks(admin: AdminSession, tenantId: TenantId): Promise<void> {
  await admin.query('delete from tenant_move_marks where tenant_id = $1', [tenantId]);
}
