import { OperatorError } from '../../../core/errors/operator-error.ts';
import { DrawerSet } from '../drawers.ts';
import type { LinkedNode, MovePlaces } from './drawer-move.ts';
import { findMove } from './drawer-move-store.ts';
import { readIdentity } from './node-overview-store.ts';

/*
 * Before drawers are copied, change hands or are deleted, every database of the vault is asked what it holds. One that was restored to an
 * earlier state holds again what it had given away, or no longer what it was given. Only its operator can know which, and until then
 * nothing is deleted anywhere.
 */

/** Throws an error for the operator unless each drawer is held by one database, or has left one by a move that can be continued. */
export async function requireOrder(all: readonly LinkedNode[]): Promise<void> {
  let known = DrawerSet.of([]);
  let leaving = DrawerSet.of([]);
  for (const { name, link } of all) {
    const { held } = await readIdentity(link);
    if (overlaps(held, known)) throw heldTwice(name);
    known = known.with(held);
    const move = await findMove(link);
    // It still has all of them, and can take them back.
    const isLeaving = move?.state === 'leaving' || (move?.state === 'arrived' && !move.isDeleting);
    if (isLeaving) leaving = leaving.with(move.drawers);
  }
  const missing = DrawerSet.all().without(known).without(leaving).size;
  if (missing > 0) throw heldByNobody(missing);
}

/** Throws an error for the operator if the source does not hold all of them. */
export async function requireHeldBySource({ source }: MovePlaces, drawers: DrawerSet): Promise<void> {
  const { held } = await readIdentity(source.link);
  if (!held.includes(drawers)) throw new OperatorError(`${source.name} does not hold all of these drawers.`);
}

/** Throws an error for the operator if any database holds one of them. */
export async function requireHeldByNobody({ all }: MovePlaces, drawers: DrawerSet): Promise<void> {
  for (const { name, link } of all) if (overlaps((await readIdentity(link)).held, drawers)) throw heldTwice(name);
}

/** Throws an error for the operator if one of them is held by none but the source, and is not on its way between others. */
export async function requireHeldElsewhere({ all, source }: MovePlaces, drawers: DrawerSet): Promise<void> {
  let elsewhere = DrawerSet.of([]);
  for (const node of all) {
    if (node === source) continue;
    const move = await findMove(node.link);
    elsewhere = elsewhere.with((await readIdentity(node.link)).held);
    if (move?.state === 'leaving') elsewhere = elsewhere.with(move.drawers);
  }
  const missing = drawers.without(elsewhere).size;
  if (missing > 0) throw heldByNobody(missing);
}

function overlaps(some: DrawerSet, others: DrawerSet): boolean {
  return !some.without(others).equals(some);
}

const whatToDo = 'Nothing was changed. See "After a restore" in docs/operate/scale-out.md.';

function heldTwice(name: string): OperatorError {
  return new OperatorError(
    `${name} and another database both claim some drawers: one of them was restored to an earlier state. ${whatToDo}`,
  );
}

function heldByNobody(drawers: number): OperatorError {
  return new OperatorError(
    `${drawers} drawers are held by no database: either STRONGROOM_NODES does not name all nodes, or one of them was restored to an earlier state. ${whatToDo}`,
  );
}
