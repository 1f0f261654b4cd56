import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { listMovedTables } from '../../platform/database/moves/moved-tables.ts';
import {
  beginDeparture,
  findMove,
  type MoveRow,
  noteStep,
  reopen,
  takeMoveLock,
} from '../../platform/database/moves/move-row.ts';
import type { MoveEnds } from './cell-end.ts';
import type { Move } from './move.ts';
import { stepsAfter } from './move-steps.ts';
import { requireMovable } from './require-movable.ts';
import { isOpenInTarget, requireSameTarget } from './same-decision.ts';

export interface MoveOrder {
  readonly tenantId: TenantId;
  readonly stopSecondsMax: number;
  readonly signal: AbortSignal;
  /** Called when a step begins, and with what there is to tell about it. */
  readonly onStep: (name: string) => void;
  readonly say: (text: string) => void;
}

/** Moves a tenant, or goes on with a move that was interrupted. */
export async function moveTenant(ends: MoveEnds, order: MoveOrder): Promise<void> {
  const { source } = ends;
  const { tenantId } = order;
  await takeMoveLock(source.admin, tenantId);
  const row = await findOrBegin(ends, tenantId);
  requireSameTarget(ends, row);
  const isOpen = await isOpenInTarget(ends, tenantId, row);
  const move: Move = {
    ...order,
    ends,
    row,
    tables: await listMovedTables(source.admin),
    signedTo: 0,
    attempt: '',
    closedAt: 0,
  };
  // A target that was restored since may have lost that it opened the tenant.
  for (const step of stepsAfter(row.isDecided && !isOpen ? 'decided' : row.step)) {
    if (order.signal.aborted && step.name !== 'opened') {
      throw new OperatorError('The command was stopped. Run it again: it goes on where it stopped.');
    }
    order.onStep(step.name);
    try {
      await step.run(move);
    } catch (error) {
      // A tenant that was closed would be open again by itself soon, but there is no reason to wait.
      await reopen(source.admin, tenantId).catch(() => undefined);
      throw error;
    }
    await noteStep(source.admin, tenantId, step.name);
  }
  if (!(await isOpenInTarget(ends, tenantId, { id: row.id, isDecided: true }))) {
    throw new OperatorError(
      'The tenant is not open in the target. Run the command again, and remove nothing before that.',
    );
  }
}

async function findOrBegin(ends: MoveEnds, tenantId: TenantId): Promise<MoveRow> {
  const { source, target } = ends;
  const found = await findMove(source.admin, tenantId, 'out');
  if (found?.isRemoved === true) throw new OperatorError(`The tenant has moved to the cell ${found.cell}.`);
  if (found?.step === 'cancelling') throw new OperatorError('The move is being cancelled. Finish that with --cancel.');
  if (found !== undefined) return found;
  await requireMovable(ends, tenantId);
  return beginDeparture(source.admin, tenantId, target.name);
}
