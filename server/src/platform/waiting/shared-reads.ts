import { withoutDeadline } from './deadline.ts';

/**
 * Reads under way, at most one a key: anyone who asks meanwhile shares it, so none ends with the request that began it. A read that began before a change was heard of still
 * serves those who wait for it, but what it found is not kept.
 */
export class SharedReads<Key, Value> {
  readonly #underWay = new Map<Key, Promise<Value>>();
  #done = 0;
  #failed = 0;

  /** How many reads there were since the process started. */
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

  /** Something changed: anyone who asks from now on reads again. */
  outdate(key: Key): void {
    this.#underWay.delete(key);
  }

  outdateAll(): void {
    this.#underWay.clear();
  }
}
