import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';

/** What a vault knows of a tenant that leaves it or arrives in it. */
export interface MoveRow {
  readonly id: string;
  readonly cell: string;
  /** The last step that is done. */
  readonly step: string;
  readonly settledOrder: string | null;
  /** Identifies the comparison after which the tenant left the source. */
  readonly attempt: string | null;
  readonly isDecided: boolean;
  readonly isRemoved: boolean;
}

type Direction = 'in' | 'out';

const columns = `id, cell, step, settled_order::text as "settledOrder", attempt, decided_at is not null as "isDecided",
  removed_at is not null as "isRemoved"`;
/** The time limit of waiting for requests that are under way. Requests of every tenant wait behind it meanwhile. */
const barrierTimeout = '500ms';
const barrierAttemptsMax = 20;
const lockNotAvailable = '55P03';
/**
 * Two commits decide where a tenant is. They are durable before the command goes on, whatever the database is set to.
 */
const durable = 'set local synchronous_commit to on';

export async function findMove(
  admin: AdminSession,
  tenantId: TenantId,
  direction: Direction,
): Promise<MoveRow | undefined> {
  const [row] = await admin.query<MoveRow>(
    `select ${columns} from tenant_moves where tenant_id = $1 and direction = $2`,
    [tenantId, direction],
  );
  return row;
}

/** Lets one process at a time move a tenant. The lock ends with the session. */
export async function takeMoveLock(admin: AdminSession, tenantId: TenantId): Promise<void> {
  const { isTaken } = await admin.one<{ isTaken: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('strongroom/move/' || $1, 0)) as "isTaken"`,
    [tenantId],
  );
  if (!isTaken) throw new OperatorError('Another process is moving this tenant. Wait until it has ended.');
}

/** Notes in the source that the tenant is leaving. A departure that is noted already is kept. */
export async function beginDeparture(admin: AdminSession, tenantId: TenantId, cell: string): Promise<MoveRow> {
  return admin.one<MoveRow>(
    `insert into tenant_moves (tenant_id, direction, id, cell, step) values ($1, 'out', gen_random_uuid(), $2, 'begun')
      on conflict (tenant_id, direction) do update set cell = tenant_moves.cell returning ${columns}`,
    [tenantId, cell],
  );
}

/** Notes in the target that the tenant is arriving. Until it is opened, nothing of it can be read or written there. */
export async function beginArrival(
  admin: AdminSession,
  tenantId: TenantId,
  { id, cell }: { readonly id: string; readonly cell: string },
): Promise<MoveRow> {
  return admin.one<MoveRow>(
    `insert into tenant_moves (tenant_id, direction, id, cell, step, closed_until) values ($1, 'in', $2, $3, 'begun', 'infinity')
      on conflict (tenant_id, direction) do update set cell = tenant_moves.cell returning ${columns}`,
    [tenantId, id, cell],
  );
}

export async function noteStep(admin: AdminSession, tenantId: TenantId, step: string): Promise<void> {
  await admin.query(`update tenant_moves set step = $2 where tenant_id = $1 and direction = 'out'`, [tenantId, step]);
}

export async function noteSettled(admin: AdminSession, tenantId: TenantId, order: string): Promise<void> {
  await admin.query(`update tenant_moves set settled_order = $2 where tenant_id = $1 and direction = 'out'`, [
    tenantId,
    order,
  ]);
}

/**
 * Waits until all requests that leave a record have ended, and runs `work` before any other begins. They hold a lock on
 * the log until they have committed.
 */
export async function behindBarrier<T>(admin: AdminSession, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await admin.transaction(async () => {
        await admin.query(`set local lock_timeout to '${barrierTimeout}'`);
        await admin.query('lock table only audit_records in share row exclusive mode');
        return work();
      });
    } catch (error) {
      const isBusy = error instanceof Error && 'sqlState' in error && error.sqlState === lockNotAvailable;
      if (!isBusy || attempt === barrierAttemptsMax) throw error;
    }
  }
}

/**
 * Closes the tenant for a time. If it has not left by then, it is open again by itself, whatever has become of the
 * process that closed it.
 */
export async function closeForHandOver(admin: AdminSession, tenantId: TenantId, seconds: number): Promise<void> {
  await behindBarrier(admin, () =>
    admin.query(
      `update tenant_moves set closed_until = clock_timestamp() + make_interval(secs => $2)
        where tenant_id = $1 and direction = 'out' and decided_at is null`,
      [tenantId, seconds],
    ),
  );
}

/** Opens the tenant in the source again, unless it has left. Returns false if it has. */
export async function reopen(admin: AdminSession, tenantId: TenantId): Promise<boolean> {
  const rows = await admin.query(
    `update tenant_moves set closed_until = null
      where tenant_id = $1 and direction = 'out' and decided_at is null returning 1`,
    [tenantId],
  );
  return rows.length > 0;
}

/**
 * Decides that the tenant has left. This one commit decides where the tenant is: before it, the tenant is in the
 * source, and after it, nowhere else than in the target. It fails if the tenant was opened again in the meantime.
 * Requests that found it open have committed before the barrier, and would see here that time is over. The source keeps
 * which comparison it relies on.
 */
export async function decide(
  admin: AdminSession,
  tenantId: TenantId,
  { id, attempt }: { readonly id: string; readonly attempt: string },
): Promise<boolean> {
  const rows = await behindBarrier(admin, async () => {
    await admin.query(durable);
    return admin.query(
      `update tenant_moves set decided_at = clock_timestamp(), closed_until = 'infinity', step = 'decided', attempt = $3,
          key_ids = coalesce((select array_agg(k.id) from application_keys k where k.tenant_id = $1), '{}')
        where tenant_id = $1 and direction = 'out' and id = $2 and decided_at is null and closed_until > clock_timestamp()
        returning 1`,
      [tenantId, id, attempt],
    );
  });
  return rows.length > 0;
}

/**
 * Makes everything that the target has received durable, on its standbys as well if it has any. Returns the name of
 * this comparison: a target that has it later has everything that was compared.
 */
export async function flushArrival(admin: AdminSession, tenantId: TenantId): Promise<string> {
  return admin.transaction(async () => {
    await admin.query(durable);
    const { attempt } = await admin.one<{ attempt: string }>(
      `update tenant_moves set step = 'compared', attempt = gen_random_uuid() where tenant_id = $1 and direction = 'in'
        returning attempt`,
      [tenantId],
    );
    return attempt;
  });
}

/**
 * Opens the tenant in the target, in the transaction at hand. Keys that it brings along are accepted from then on.
 * Throws if the target is not in the state in which it was compared, because it was restored or failed over since.
 */
export async function openArrival(
  admin: AdminSession,
  tenantId: TenantId,
  { id, attempt }: Pick<MoveRow, 'id' | 'attempt'>,
): Promise<void> {
  await admin.query(durable);
  const opened = await admin.query(
    `update tenant_moves set decided_at = clock_timestamp(), closed_until = null, step = 'opened',
        key_ids = coalesce((select array_agg(k.id) from application_keys k where k.tenant_id = $1), '{}')
      where tenant_id = $1 and direction = 'in' and id = $2 and step = 'compared' and attempt = $3 and decided_at is null
      returning 1`,
    [tenantId, id, attempt],
  );
  if (opened.length === 0) {
    throw new OperatorError(
      'The target does not have the tenant as it was compared at the hand-over: its database was restored or failed over since. ' +
        'The source has the only whole copy, so remove nothing there. Bring back the database of the target as it was at the ' +
        'hand-over, and run the command again.',
    );
  }
  await admin.query(`delete from tenant_moves where tenant_id = $1 and direction = 'out'`, [tenantId]);
  await admin.query(
    `select pg_notify('strongroom_changes', t || ' ' || $1) from unnest(array['tenants', 'tenant_keys']) t`,
    [tenantId],
  );
}

export async function deleteMove(admin: AdminSession, tenantId: TenantId, direction: Direction): Promise<void> {
  await admin.query('delete from tenant_moves where tenant_id = $1 and direction = $2', [tenantId, direction]);
}

/** Notes in the target that the source has nothing of the tenant any more. What is erased from then on is not left there. */
export async function noteSourceCleared(admin: AdminSession, tenantId: TenantId, id: string): Promise<void> {
  await admin.query(
    `update tenant_moves set removed_at = now()
      where tenant_id = $1 and direction = 'in' and id = $2 and removed_at is null`,
    [tenantId, id],
  );
}

/** Notes that nothing of the tenant is left, so that it can come again, even if it once came from another cell. */
export async function noteRemoved(admin: AdminSession, tenantId: TenantId): Promise<void> {
  await deleteMove(admin, tenantId, 'in');
  await admin.query(
    `update tenant_moves set removed_at = now(), step = 'removed' where tenant_id = $1 and direction = 'out'`,
    [tenantId],
  );
}
