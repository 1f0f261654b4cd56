import { OperatorError } from '../../core/errors/operator-error.ts';
import { countHolders } from './drawers.ts';
import { type NodeState, readNodeState } from './node-store.ts';
import type { Nodes } from './nodes.ts';

const triesMax = 3;

/**
 * Does something that has to see every token, however long it takes: a drawer that moves meanwhile could be missed where it was and
 * where it is. Then it is done again, and given up if drawers keep moving.
 */
export async function whileNothingMoves<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  if (nodes.isAlone) return work();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await readStates(nodes);
    if (!isWhole(before)) continue;
    const result = await work();
    const after = await readStates(nodes);
    if (before.every(({ version }, index) => after[index]?.version === version)) return result;
  }
  throw new OperatorError('Tokens are being moved between the databases of this vault. Try again when that has ended.');
}

function readStates(nodes: Nodes): Promise<NodeState[]> {
  return Promise.all(nodes.all.map(({ database }) => readNodeState(database)));
}

/** Whether each drawer is held by one. */
function isWhole(states: readonly NodeState[]): boolean {
  return countHolders(states.map(({ held }) => held)).every((holders) => holders === 1);
}
