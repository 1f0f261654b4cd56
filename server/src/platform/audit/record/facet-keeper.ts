import type { Database } from '../../database/database.ts';
import { FacetStore } from './facet-store.ts';

const recordsPerPass = 10_000;

export interface FacetPass {
  readonly counted: number;
  /** There was more than one pass takes. */
  readonly isFull: boolean;
}

/**
 * Follows the sealer and keeps the counters that filters of the log are found by. It has a place of its own in the log: what
 * was sealed before there were counters is simply what it has not come to yet, and a failure here stops no sealing.
 */
export class FacetKeeper {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One transaction: the counters and the place move together. */
  async keep(): Promise<FacetPass> {
    return this.#database.forSealer(async (tx) => {
      const store = new FacetStore(tx);
      if (!(await store.becomeKeeper())) return { counted: 0, isFull: false };
      const counted = await store.countNext(recordsPerPass);
      return { counted, isFull: counted >= recordsPerPass };
    });
  }
}
