import { setTimeout as pauseFor } from 'node:timers/promises';
import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { MovedTable } from '../../platform/database/moves/moved-tables.ts';
import type { MoveRow } from '../../platform/database/moves/move-row.ts';
import { hasMark, writeMark } from '../../platform/database/moves/replication.ts';
import type { MoveEnds } from './cell-end.ts';

/** A move that is under way in this process. */
export interface Move {
  readonly ends: MoveEnds;
  readonly tenantId: TenantId;
  readonly row: MoveRow;
  readonly tables: readonly MovedTable[];
  /** How long the tenant may be closed, in seconds. */
  readonly stopSecondsMax: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** The number of the newest checkpoint that the target has signed. */
  signedTo: number;
  /** Identifies the comparison of both ends in this process. Empty before there is one. */
  attempt: string;
  /** When the tenant was closed, in milliseconds. */
  closedAt: number;
}

/** Waits until something is so, asking again and again. Throws if it takes too long, or if the command is stopped. */
export async function until(
  move: Pick<Move, 'signal'>,
  isSo: () => Promise<boolean>,
  { everyMs, withinMs, otherwise }: { readonly everyMs: number; readonly withinMs: number; readonly otherwise: string },
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (move.signal.aborted)
      throw new OperatorError('The command was stopped. Run it again: it goes on where it stopped.');
    if (performance.now() > end) throw new OperatorError(otherwise);
    await pauseFor(everyMs);
  }
}

/** Waits until the target has received everything that is committed in the source now. Returns how long that took. */
export async function catchUp(
  move: Move,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<number> {
  const { source, target } = move.ends;
  const startedAt = performance.now();
  const mark = await writeMark(source.admin, move.tenantId);
  await until(move, () => hasMark(target.admin, move.tenantId, mark), {
    everyMs,
    withinMs,
    otherwise:
      'The target does not receive what changes in the source. Read the log of its PostgreSQL, then run the command again.',
  });
  return performance.now() - startedAt;
}
