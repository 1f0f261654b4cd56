import { LRUCache } from 'lru-cache';
import type { CacheUse } from '../../telemetry/cache-use.ts';
import { SharedReads } from '../../waiting/shared-reads.ts';
import type { ChangeFeed } from './change-feed.ts';

export interface WatchedCacheOptions<Key extends string, Value extends object> {
  readonly feed: Pick<ChangeFeed, 'isCurrent' | 'onGap'>;
  /** Reads a value from the database. Returns undefined if there is none. */
  readonly load: (key: Key) => Promise<Value | undefined>;
  readonly entriesMax: number;
  readonly ageMaxMs?: number;
  /** Returns true if a value may be cached. All values are cached by default. */
  readonly isKept?: (value: Value) => boolean;
}

/**
 * Cached values from the database, trusted only while the change feed proves that this process would have learned of a
 * change. Concurrent requests for one value share a single read.
 */
export class WatchedCache<Key extends string, Value extends object> {
  readonly #options: WatchedCacheOptions<Key, Value>;
  readonly #known: LRUCache<Key, Value>;
  readonly #reads = new SharedReads<Key, Value | undefined>();
  #hits = 0;

  constructor(options: WatchedCacheOptions<Key, Value>) {
    const { entriesMax, ageMaxMs, feed } = options;
    this.#options = options;
    this.#known = new LRUCache<Key, Value>({ max: entriesMax, ...(ageMaxMs === undefined ? {} : { ttl: ageMaxMs }) });
    feed.onGap(() => {
      this.#reads.outdateAll();
      this.#known.clear();
    });
  }

  async get(key: Key): Promise<Value | undefined> {
    const known = this.#options.feed.isCurrent ? this.#known.get(key) : undefined;
    if (known === undefined) return this.#load(key);
    this.#hits += 1;
    return known;
  }

  get use(): CacheUse {
    return { entries: this.#known.size, hits: this.#hits, ...this.#reads.counts };
  }

  /**
   * Removes the values that a change affects. Reads in progress are invalidated too, because they may have started
   * before the change.
   */
  forget(matches: (key: Key, value: Value) => boolean): void {
    this.#reads.outdateAll();
    for (const [key, value] of this.#known.entries()) if (matches(key, value)) this.#known.delete(key);
  }

  #load(key: Key): Promise<Value | undefined> {
    const { load, isKept = () => true } = this.#options;
    return this.#reads.run(
      key,
      () => load(key),
      (value) => {
        if (value !== undefined && isKept(value)) this.#known.set(key, value);
      },
    );
  }
}
