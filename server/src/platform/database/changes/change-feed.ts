import type { ConnectionOrigin } from '../connections/connection-origin.ts';
import { PostgresListener } from '../connections/postgres-listener.ts';
import { LRUCache } from 'lru-cache';
import type { CacheUse } from '../../telemetry/cache-use.ts';
import { SharedReads } from '../../waiting/shared-reads.ts';

const channel = 'strongroom_changes';
export const feedName = 'strongroom changes';
const heartbeatMs = 300;
/**
 * The maximum age of the last heartbeat, in milliseconds. If it is older, caches are not trusted. The sum of this and
 * the heartbeat interval is well under a second.
 */
const trustMs = 600;

const changedTables = [
  'application_keys',
  'applications',
  'retention_rules',
  'sessions',
  'tenants',
  'tenant_keys',
  'tenant_moves',
] as const;
export type ChangedTable = (typeof changedTables)[number];
export type ChangeListener = (table: ChangedTable, id: string) => void;

/**
 * Reports changes made by other processes. PostgreSQL delivers a notification together with the commit that causes it.
 * A heartbeat over the same channel proves that notifications still arrive. If it does not return, `isCurrent` is false
 * and caches query the database instead.
 */
export class ChangeFeed {
  readonly #listener: PostgresListener;
  readonly #listeners = new Set<ChangeListener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #lostListeners = new Set<() => void>();

  /**
   * `mark` becomes part of the connection's name, from which other processes can tell, for example, which root keys
   * this one has.
   */
  constructor(url: string, mark: string, origin?: ConnectionOrigin) {
    this.#listener = new PostgresListener(
      { url, channel, applicationName: `${feedName} ${mark}`, heartbeatMs, patienceMs: trustMs, origin },
      {
        onConnected: () => {
          for (const listener of this.#gapListeners) listener();
        },
        onLost: () => {
          for (const listener of this.#lostListeners) listener();
        },
        onPayload: (payload) => this.#deliver(payload),
      },
    );
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  /** Registers a listener that is called when notifications may have been missed. It must drop all cached values. */
  onGap(listener: () => void): void {
    this.#gapListeners.add(listener);
  }

  /** Registers a listener that is called when the connection breaks. */
  onLost(listener: () => void): void {
    this.#lostListeners.add(listener);
  }

  get isCurrent(): boolean {
    return performance.now() - this.#listener.heardAt < trustMs;
  }

  /**
   * The time since the last heartbeat, in milliseconds. Late heartbeats on a busy machine slow a server down, but its
   * results stay correct.
   */
  get silentMs(): number {
    return performance.now() - this.#listener.lastHeardAt;
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  #deliver(payload: string): void {
    const [name, id] = payload.split(' ');
    const table = changedTables.find((known) => known === name);
    if (table === undefined || id === undefined) return;
    for (const listener of this.#listeners) listener(table, id);
  }
}

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
