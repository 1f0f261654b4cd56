import { OperatorError } from '../../core/errors/operator-error.ts';
import { readNodeFitness, sortAlike, sortedDifferently } from '../../platform/nodes/node-store.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';

/** Throws unless all databases of a vault order ids alike: otherwise pages of several of them cannot be put together. */
export async function requireSameOrder(nodes: Nodes): Promise<void> {
  const fitness = await Promise.all(nodes.all.map(({ database }) => readNodeFitness(database)));
  if (!sortAlike(fitness)) throw new OperatorError(sortedDifferently);
}
