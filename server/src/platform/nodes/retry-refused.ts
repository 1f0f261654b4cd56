import { isRefusedByPolicy, mayHaveHappened } from '../database/database-error.ts';
import type { Nodes } from './nodes.ts';

const attemptsMax = 5;

/** Repeats work that was refused since drawers of tokens that it writes have moved on meanwhile. Nothing was written. */
export async function retryRefused<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isRefused = isRefusedByPolicy(error) && !mayHaveHappened(error);
      if (nodes.isAlone || attempt === attemptsMax || !isRefused) throw error;
    }
  }
}
