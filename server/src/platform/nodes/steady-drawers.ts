import { OperatorError } from '../../core/errors/operator-error.ts';
import { readClaims } from './claimed-drawers.ts';
import { KnownDrawers } from './known-drawers.ts';
import { type NodeState, readWholeState } from './node-store.ts';
import type { Nodes } from './nodes.ts';
import type { VaultNode } from './vault-node.ts';

const triesMax = 3;

/**
 * Does something that has to see every token, however long it takes: a drawer that moves meanwhile could be missed where it was and
 * where it is. Then it is done again, and given up if drawers keep moving.
 */
export async function whileNothingMoves<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  if (nodes.isAlone) return work();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await readStates(nodes);
    if (!KnownDrawers.of(before, { claims: await readClaims(before) }).isWhole) continue;
    const result = await work();
    const after = await readStates(nodes);
    if ([...before].every(([node, { version }]) => after.get(node)?.version === version)) return result;
  }
  throw new OperatorError('Tokens are being moved between the databases of this vault. Try again when that has ended.');
}

async function readStates(nodes: Nodes): Promise<ReadonlyMap<VaultNode, NodeState>> {
  return new Map(
    await Promise.all(nodes.all.map(async (node) => [node, await readWholeState(node.database)] as const)),
  );
}
