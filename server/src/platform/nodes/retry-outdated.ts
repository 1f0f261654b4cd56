import { OutdatedRoute } from '../waiting/route.ts';
import type { Nodes } from './nodes.ts';

const attemptsMax = 5;

/**
 * Does work whose places are chosen by what is known now. If a database has been replaced or restarted since, it is done again by what is
 * known then. So it must be one that writes all or nothing, and ends with that.
 */
export async function retryOutdated<T>(nodes: Nodes, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { known } = nodes;
    try {
      return await nodes.route(known, work);
    } catch (error) {
      if (attempt === attemptsMax || !(error instanceof OutdatedRoute)) throw error;
      await nodes.renew(known);
    }
  }
}
