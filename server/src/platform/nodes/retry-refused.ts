import { DomainError } from '../../core/errors/domain-error.ts';
import { isRefusedByPolicy } from '../database/database-error.ts';
import type { Nodes } from './nodes.ts';

const attemptsMax = 5;

/** Tokens that have to be written in one place lie in several. */
export class PlacesDiffer extends DomainError {}

/**
 * Repeats work that draws ids for tokens which are written together, and was refused since some of their drawers have moved on
 * meanwhile: by then these ids no longer lie in one place. Nothing was written.
 */
export async function retryRefused<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (nodes.isAlone || attempt === attemptsMax || !(isRefusedByPolicy(error) || error instanceof PlacesDiffer))
        throw error;
    }
  }
}
