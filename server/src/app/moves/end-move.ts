import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import {
  deleteMove,
  findMove,
  noteRemoved,
  noteSourceCleared,
  noteStep,
  reopen,
  takeMoveLock,
} from '../../platform/database/moves/move-row.ts';
import { listUnsentStreams } from '../../platform/audit/seal/moved-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { findNewestCheckpoint, hasArrived } from '../../platform/database/moves/backup-content.ts';
import { dropSubscription } from '../../platform/database/moves/replication.ts';
import { deleteTenantRows } from '../../platform/database/moves/tenant-rows.ts';
import { type BackupOrder, checkBackup } from '../doctor/backup-check.ts';
import { cleanUp } from './arrive.ts';
import type { MoveEnds } from './cell-end.ts';
import { isOpenInTarget, requireSameTarget } from './same-decision.ts';

/** Cancels a move that has not been decided, and removes what has arrived in the target. Returns the number of rows. */
export async function cancelMove(ends: MoveEnds, tenantId: TenantId): Promise<number> {
  const { source, target } = ends;
  await takeMoveLock(source.admin, tenantId);
  const departure = await findMove(source.admin, tenantId, 'out');
  if (departure === undefined) throw new OperatorError('The tenant is not being moved.');
  requireSameTarget(ends, departure);
  await isOpenInTarget(ends, tenantId, departure);
  if (!(await reopen(source.admin, tenantId))) {
    throw new OperatorError(
      `The tenant has moved to the cell ${departure.cell}. Run the command without --cancel to finish that, or move it back.`,
    );
  }
  await noteStep(source.admin, tenantId, 'cancelling');
  const arrival = await findMove(target.admin, tenantId, 'in');
  let deleted = 0;
  if (arrival?.id === departure.id) {
    await dropSubscription(target.admin, tenantId);
    deleted = await deleteTenantRows(target.admin, tenantId);
  }
  await cleanUp({ source, target }, tenantId);
  if (arrival?.id === departure.id) await deleteMove(target.admin, tenantId, 'in');
  await deleteMove(source.admin, tenantId, 'out');
  return deleted;
}

/**
 * Removes the tenant from the source after it has moved, if a backup of the target can be read and contains it. Returns
 * the number of rows.
 */
export async function finishMove(
  { source, target }: MoveEnds,
  tenantId: TenantId,
  backup: BackupOrder,
): Promise<number> {
  await takeMoveLock(source.admin, tenantId);
  const departure = await findMove(source.admin, tenantId, 'out');
  const arrival = await findMove(target.admin, tenantId, 'in');
  // A command that ended between the two notes is run again to write the second.
  if (departure?.isRemoved === true) await noteSourceCleared(target.admin, tenantId, departure.id);
  if (departure === undefined || departure.step !== 'cleaned') {
    throw new OperatorError(
      departure?.isRemoved === true
        ? 'The source has been cleared of the tenant already.'
        : 'The tenant has not moved yet. Run the command without --finish first.',
    );
  }
  if (arrival?.id !== departure.id || !arrival.isDecided) {
    throw new OperatorError('The tenant is not open in the target. Is this the cell that it moved to?');
  }
  await requireStreamed(source, tenantId);
  const checkpoint = await findNewestCheckpoint(source.admin, tenantId);
  const inspect = async (database: Database) => {
    if (!(await hasArrived(database, tenantId, { id: departure.id, checkpoint }))) throw olderThanMove();
  };
  await requireBackup(target, tenantId, { ...backup, inspect });
  const deleted = await deleteTenantRows(source.admin, tenantId);
  await noteRemoved(source.admin, tenantId);
  await noteSourceCleared(target.admin, tenantId, departure.id);
  return deleted;
}

/** Throws if a log stream of the source has yet to send a part of what would be removed. */
async function requireStreamed({ admin }: MoveEnds['source'], tenantId: TenantId): Promise<void> {
  const unsent = await listUnsentStreams(admin, tenantId);
  if (unsent.length === 0) return;
  throw new OperatorError(
    `The log of the tenant has not been sent to the end by ${unsent.map((name) => `"${name}"`).join(', ')}. ` +
      'Mend the stream, and run the command again when `strongroom doctor` says that it does not lag. Nothing was removed.',
  );
}

/** Throws unless the backup was made after the tenant was opened, and all of its tokens can be decrypted from it. */
async function requireBackup({ config }: MoveEnds['target'], tenantId: TenantId, order: BackupOrder): Promise<void> {
  const { tenants, unchecked } = await checkBackup(config, order);
  const report = tenants.find((each) => each.tenantId === tenantId);
  const isChecked = !unchecked.some(({ tenants: ids }) => ids.has(tenantId));
  if (report === undefined || !isChecked) throw olderThanMove();
  if (report.unopened > 0 || report.missingKeys.length > 0) {
    throw new OperatorError(
      `${report.unopened} tokens of the tenant cannot be decrypted from the backup. Nothing was removed.`,
    );
  }
}

function olderThanMove(): OperatorError {
  return new OperatorError(
    'The backup does not contain the tenant as it is in the target now. Make one after the move. Nothing was removed.',
  );
}
