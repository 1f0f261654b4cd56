import type { Database } from '../../database/database.ts';
import { FacetStore } from './facet-store.ts';

const recordsPerPass = 10_000;

export interface FacetPass {
  readonly counted: number;
  /** True if there were more records than one pass handles. */
  readonly isFull: boolean;
}

/**
 * Follows the sealer and maintains the counters that log filters use. It has its own position in the log. Records that
 * were sealed before counters existed are counted like new ones, and a failure here does not stop sealing.
 */
export class FacetKeeper {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts the next records. The counters and the position are updated in one transaction. */
  async keep(): Promise<FacetPass> {
    return this.#database.forSealer(async (tx) => {
      const store = new FacetStore(tx);
      if (!(await store.becomeKeeper())) return { counted: 0, isFull: false };
      const counted = await store.countNext(recordsPerPass);
      return { counted, isFull: counted >= recordsPerPass };
    });
  }
}
