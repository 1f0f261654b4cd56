import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../database.ts';
import type { AdminSession } from './admin-session.ts';

/** The number and the root of a checkpoint. Cells have the same after a move. */
export interface CheckpointName {
  readonly number: string;
  readonly root: Buffer;
}

/** Returns the newest checkpoint of the tenant's log, if anything was sealed. */
export async function findNewestCheckpoint(
  admin: AdminSession,
  tenantId: TenantId,
): Promise<CheckpointName | undefined> {
  const [row] = await admin.query<{ number: string; root: Buffer }>(
    `select number::text as number, root from audit_checkpoints where tenant_id = $1 order by audit_checkpoints.number desc limit 1`,
    [tenantId],
  );
  return row;
}

/**
 * Returns true if a restored database has the tenant as it was opened by this move, with its log up to the checkpoint.
 */
export async function hasArrived(
  database: Database,
  tenantId: TenantId,
  { id, checkpoint }: { readonly id: string; readonly checkpoint: CheckpointName | undefined },
): Promise<boolean> {
  return database.forTenant(tenantId, async (tx) => {
    const rows = await tx.query({
      text: `select 1 from tenant_moves m
        where m.tenant_id = $1 and m.direction = 'in' and m.id = $2 and m.decided_at is not null
          and ($3::bigint is null or exists (select from audit_checkpoints c
            where c.tenant_id = $1 and c.number = $3 and c.root = $4))`,
      values: [tenantId, id, checkpoint?.number ?? null, checkpoint?.root ?? null],
    });
    return rows.length > 0;
  });
}
