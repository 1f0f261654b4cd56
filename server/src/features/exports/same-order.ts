import { OperatorError } from '../../core/errors/operator-error.ts';
import { readNodeFitness } from '../../platform/nodes/node-store.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';

/** Throws unless all databases of a vault order ids alike: otherwise pages of several of them cannot be put together. */
export async function requireSameOrder(nodes: Nodes): Promise<void> {
  const fitness = await Promise.all(nodes.all.map(({ database }) => readNodeFitness(database)));
  if (new Set(fitness.map(({ collation }) => collation)).size <= 1) return;
  throw new OperatorError(
    'The databases of this vault do not sort text alike. Create nodes with the locale of the home database, on the same version of its operating system.',
  );
}
