import { isRefusedByPolicy } from '../database/database-error.ts';
import type { Nodes } from './nodes.ts';

const attemptsMax = 5;

/**
 * Repeats work that draws ids for tokens which are written together, and was refused since some of their drawers have moved on
 * meanwhile: by then these ids no longer lie in one place. Nothing was written.
 */
export async function retryRefused<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (nodes.isAlone || attempt === attemptsMax || !isRefusedByPolicy(error)) throw error;
    }
  }
}
