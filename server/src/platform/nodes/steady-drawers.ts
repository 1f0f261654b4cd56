import { OperatorError } from '../../core/errors/operator-error.ts';
import { drawerCount, type DrawerSet } from './drawers.ts';
import { readNodeState } from './node-store.ts';
import type { Nodes } from './nodes.ts';

const triesMax = 3;

/**
 * Does something that has to see every token, however long it takes: a drawer that moves meanwhile could be missed where it was and
 * where it is. Then it is done again, and given up if drawers keep moving.
 */
export async function whileNothingMoves<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  if (nodes.isAlone) return work();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await readHeld(nodes);
    if (!isWhole(before)) continue;
    const result = await work();
    const after = await readHeld(nodes);
    if (before.every((held, index) => after[index]?.equals(held) === true)) return result;
  }
  throw new OperatorError('Tokens are being moved between the databases of this vault. Try again when that has ended.');
}

async function readHeld(nodes: Nodes): Promise<DrawerSet[]> {
  const states = await Promise.all(nodes.all.map(({ database }) => readNodeState(database)));
  return states.map(({ held }) => held);
}

function isWhole(sets: readonly DrawerSet[]): boolean {
  return Array.from({ length: drawerCount }, (_, drawer) => drawer).every((drawer) =>
    sets.some((held) => held.has(drawer)),
  );
}
