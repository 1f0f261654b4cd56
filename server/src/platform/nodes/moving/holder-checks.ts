import { OperatorError } from '../../../core/errors/operator-error.ts';
import { listClaims } from '../claimed-drawers.ts';
import { DrawerSet } from '../drawers.ts';
import { isReceived } from '../node-store.ts';
import { canComeBack, hasLeft, type LinkedNode, type MovePlaces } from './drawer-move.ts';
import { findMove } from './drawer-move-store.ts';
import { readIdentity } from './node-overview-store.ts';

/*
 * Before drawers are copied, change hands or are deleted, every database of the vault is asked what it holds. One that was restored to an
 * earlier state holds again what it had given away, or no longer what it was given. Only its operator can know which, and until then
 * nothing is deleted anywhere.
 */

/** Throws an error for the operator unless each drawer is held by one database, or has left one by a move that can be continued. */
export async function requireOrder(all: readonly LinkedNode[]): Promise<void> {
  let claimed = DrawerSet.of([]);
  for (const [index, claim] of (await readClaimsOf(all)).entries()) {
    if (claim.overlaps(claimed)) throw heldTwice(all[index]?.name);
    claimed = claimed.with(claim);
  }
  let present = DrawerSet.of([]);
  for (const { link } of all) {
    const move = await findMove(link);
    present = present.with((await readIdentity(link)).held);
    if (move !== undefined && canComeBack(move)) present = present.with(move.drawers);
  }
  const missing = DrawerSet.all().without(present).size;
  if (missing > 0) throw heldByNobody(missing);
}

/** Throws an error for the operator if the source does not hold all of them. */
export async function requireHeldBySource({ source }: MovePlaces, drawers: DrawerSet): Promise<void> {
  const { held } = await readIdentity(source.link);
  if (!held.includes(drawers)) throw new OperatorError(`${source.name} does not hold all of these drawers.`);
}

/** Throws an error for the operator if the target has yet to delete what it had of them before: that would be taken for copies. */
export async function requireNoneLeft({ target }: MovePlaces, drawers: DrawerSet): Promise<void> {
  const move = await findMove(target.link);
  if (move === undefined || !hasLeft(move) || !move.drawers.overlaps(drawers)) return;
  throw new OperatorError(
    `${target.name} has not yet deleted what it had of these drawers when it gave them to ${move.to}. Run the command again: it completes that first.`,
  );
}

/** Throws an error for the operator if any database holds one of them. */
export async function requireHeldByNobody({ all }: MovePlaces, drawers: DrawerSet): Promise<void> {
  for (const { name, link } of all) if ((await readIdentity(link)).held.overlaps(drawers)) throw heldTwice(name);
}

/** Throws an error for the operator if one of them is held by none but the source, and is not on its way between others. */
export async function requireHeldElsewhere({ all, source }: MovePlaces, drawers: DrawerSet): Promise<void> {
  let elsewhere = DrawerSet.of([]);
  for (const node of all) {
    if (node === source) continue;
    const move = await findMove(node.link);
    elsewhere = elsewhere.with((await readIdentity(node.link)).held);
    if (move !== undefined && canComeBack(move)) elsewhere = elsewhere.with(move.drawers);
  }
  const missing = drawers.without(elsewhere).size;
  if (missing > 0) throw heldByNobody(missing);
}

async function readClaimsOf(all: readonly LinkedNode[]): Promise<DrawerSet[]> {
  const claimants = all.map(async ({ name, link }) => ({
    name,
    state: await readIdentity(link),
    hasReceived: (moveId: string) => link.transaction((tx) => isReceived(tx, moveId)),
  }));
  return listClaims(await Promise.all(claimants));
}

const whatToDo = 'Nothing was changed. See "After a restore" in docs/operate/scale-out.md.';

function heldTwice(name = 'One'): OperatorError {
  return new OperatorError(
    `${name} and another database both claim some drawers: one of them was restored to an earlier state. ${whatToDo}`,
  );
}

function heldByNobody(drawers: number): OperatorError {
  return new OperatorError(
    `${drawers} drawers are held by no database: either STRONGROOM_NODES does not name all nodes, or one of them was restored to an earlier state. ${whatToDo}`,
  );
}
