import { withoutDeadline } from './deadline.ts';

/**
 * Shares reads in progress, at most one per key. Callers that ask in the meantime get the same result, so a read
 * continues even if the request that started it is given up. A read that began before a change was noticed still serves
 * its waiting callers, but its result is not kept.
 */
export class SharedReads<Key, Value> {
  readonly #underWay = new Map<Key, Promise<Value>>();
  #done = 0;
  #failed = 0;

  /** The number of reads since the process started. */
  get counts(): { readonly loads: number; readonly failures: number } {
    return { loads: this.#done, failures: this.#failed };
  }

  has(key: Key): boolean {
    return this.#underWay.has(key);
  }

  run(key: Key, read: () => Promise<Value>, keep: (value: Value) => void): Promise<Value> {
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return shared;
    const isCurrent = () => this.#underWay.get(key) === own;
    const own = withoutDeadline(read)
      .then(
        (value) => {
          this.#done += 1;
          if (isCurrent()) keep(value);
          return value;
        },
        (error: unknown) => {
          this.#failed += 1;
          throw error;
        },
      )
      .finally(() => {
        if (isCurrent()) this.#underWay.delete(key);
      });
    this.#underWay.set(key, own);
    return own;
  }

  /** Marks the key as changed. Later callers start a new read. */
  outdate(key: Key): void {
    this.#underWay.delete(key);
  }

  outdateAll(): void {
    this.#underWay.clear();
  }
}
