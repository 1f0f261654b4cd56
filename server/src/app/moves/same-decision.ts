import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { findMove, type MoveRow } from '../../platform/database/moves/move-row.ts';
import type { MoveEnds } from './cell-end.ts';

/**
 * Returns true if the target has opened the tenant. Throws if the source does not know that the tenant has left,
 * because its database was restored or failed over since: the tenant in the target is in use, so nothing of it may be
 * deleted or replaced.
 */
export async function isOpenInTarget(
  { target }: MoveEnds,
  tenantId: TenantId,
  departure: Pick<MoveRow, 'id' | 'isDecided'>,
): Promise<boolean> {
  const arrival = await findMove(target.admin, tenantId, 'in');
  const isOpen = arrival?.id === departure.id && arrival.isDecided;
  if (isOpen && !departure.isDecided) {
    throw new OperatorError(
      `The cell ${target.name} has opened the tenant, but the source has lost that the tenant left: its database was restored or ` +
        'failed over since. Nothing was changed. Send its requests to that cell only, and close the tenant in the source as ' +
        'docs/deploy/cells.md says under "After a failure".',
    );
  }
  return isOpen;
}

/** Throws unless the settings of the target are those of the cell to which the tenant is moving. */
export function requireSameTarget({ target }: MoveEnds, { cell }: Pick<MoveRow, 'cell'>): void {
  if (cell === target.name) return;
  throw new OperatorError(
    `The tenant is moving to the cell ${cell}, but the settings are those of ${target.name}. Run the command with the settings of ` +
      `${cell}: to go on, or with --cancel.`,
  );
}
