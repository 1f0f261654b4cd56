import type { Nodes, VaultNode } from './nodes.ts';

/**
 * Asks every node at the same time for its part of something that never moves from one to another, such as audit records; the answers
 * are in the order of the nodes. If one fails, the others are waited for all the same, so that nothing is still running afterwards.
 */
export async function askEachNode<T>(nodes: Nodes, ask: (node: VaultNode) => Promise<T>): Promise<T[]> {
  if (nodes.isAlone) return [await ask(nodes.home)];
  const outcomes = await Promise.allSettled(nodes.all.map((node) => ask(node)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
