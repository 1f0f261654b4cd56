import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { behindBarrier } from './move-row.ts';

const numbersPerEpoch = 'audit_order(pg_snapshot_xmax(pg_current_snapshot())) >> 48';

export async function findEpoch(admin: AdminSession): Promise<number> {
  const { epoch } = await admin.one<{ epoch: string }>(`select (${numbersPerEpoch})::text as epoch`);
  return Number(epoch);
}

/**
 * Begins an epoch of sealing orders in the target that is later than those in the source, so that the records that
 * arrive are older than everything that is sealed there from now on. Nobody writes a record at that moment: one with a
 * number of the earlier epoch would otherwise be committed after the sealer has passed it.
 *
 * A tenant that is leaving the target at the same time would arrive with numbers of the new epoch, which its next cell
 * has not reached, and nothing would be sealed there any more. So the epoch stays as it is until that tenant has left.
 */
export async function raiseEpoch(target: AdminSession, sourceEpoch: number): Promise<void> {
  if ((await findEpoch(target)) > sourceEpoch) return;
  await behindBarrier(target, async () => {
    const leaving = await target.query(
      `select 1 from tenant_moves where direction = 'out' and decided_at is null limit 1`,
    );
    if (leaving.length > 0) {
      throw new OperatorError(
        'Another tenant is leaving the target. Wait until it has left, or cancel its move, and run the command again.',
      );
    }
    await target.query(`select setval('audit_epochs', greatest(last_value, $1::bigint) + 1) from audit_epochs`, [
      sourceEpoch,
    ]);
  });
}

/**
 * Throws if the records of the source are not older than those of the target any more, as after a restore of the
 * source.
 */
export async function requireLaterEpoch(ends: {
  readonly source: AdminSession;
  readonly target: AdminSession;
}): Promise<void> {
  if ((await findEpoch(ends.target)) > (await findEpoch(ends.source))) return;
  throw new OperatorError(
    'The source has begun a new epoch of its log since the move began, so the target could not seal what arrives. Cancel the ' +
      'move with --cancel and begin again.',
  );
}

/**
 * Returns true if the sealer and everything that follows it have come to the current epoch. If there is nothing to
 * seal, they do not move by themselves, and are moved here.
 */
export async function hasReachedEpoch(target: AdminSession): Promise<boolean> {
  const start = `((${numbersPerEpoch}) << 48)`;
  await behindBarrier(target, () =>
    target.query(`update audit_sealing set sealed_to = ${start} where sealed_to < ${start}
      and not exists (select from audit_records r where r.sealing_order >= audit_sealing.sealed_to)`),
  );
  const { isReached } = await target.one<{ isReached: boolean }>(
    `select sealed_to >= ${start} and kept_to >= ${start} and coalesce(watched_to, ${start}) >= ${start} as "isReached"
      from audit_sealing, audit_facet_position, audit_watch_position`,
  );
  return isReached;
}

/** Returns true if every record of the tenant in the source is sealed, counted and watched. */
export async function isSettled(source: AdminSession, tenantId: TenantId): Promise<boolean> {
  const { isDone } = await source.one<{ isDone: boolean }>(
    `select coalesce((select max(sealing_order) from audit_records where tenant_id = $1), -9223372036854775808)
        < least(coalesce((select order_to from audit_checkpoints where tenant_id = $1 order by number desc limit 1), -9223372036854775807),
          kept_to, coalesce(watched_to, sealed_to)) as "isDone"
      from audit_sealing, audit_facet_position, audit_watch_position`,
    [tenantId],
  );
  return isDone;
}

/** Returns the sealing order up to which the log of the tenant is sealed. Null if nothing is. */
export async function findSealedTo(source: AdminSession, tenantId: TenantId): Promise<string | undefined> {
  const [row] = await source.query<{ order: string }>(
    `select order_to::text as order from audit_checkpoints where tenant_id = $1 order by number desc limit 1`,
    [tenantId],
  );
  return row?.order;
}

/** How long ago a worker looked for records to seal, in seconds. Null if none ever has. */
export async function findSealerIdle(admin: AdminSession): Promise<number | null> {
  const { seconds } = await admin.one<{ seconds: number | null }>(
    'select extract(epoch from clock_timestamp() - looked_at)::float8 as seconds from audit_sealing',
  );
  return seconds;
}

/** Returns true if no request of the tenant is between its work and the outcome that it keeps for repetitions. */
export async function areOutcomesKept(source: AdminSession, tenantId: TenantId): Promise<boolean> {
  const rows = await source.query(
    'select 1 from idempotency_results where tenant_id = $1 and not is_answered and expires_at > now() limit 1',
    [tenantId],
  );
  return rows.length === 0;
}
