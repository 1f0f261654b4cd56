import { recordOf } from '../../core/objects/keys-of.ts';
import {
  type RateLimit,
  type RateLimitScope,
  rateLimitScopes,
  type RateLimitTable,
  shareOf,
} from './rate-limit-table.ts';
import { type RejectedClient, RejectedClients } from './rejected-clients.ts';
import { RedisLink } from './redis-link.ts';
import { SharedCounter } from './shared-counter.ts';
import { WindowCounter } from './window-counter.ts';

/** The limit that rejects a request, and the remaining time of the block. */
export interface Refusal {
  readonly scope: RateLimitScope;
  readonly limit: RateLimit;
  readonly msLeft: number;
}

export interface RateLimiterOptions {
  readonly table: RateLimitTable;
  /** The Redis server in which servers share their counters. Without it, each server counts on its own. */
  readonly redisUrl?: string | undefined;
  /** The limits of clients in the operator's own networks. By default they have the same as everybody. */
  readonly ownTable?: RateLimitTable;
  /** Called once with the reason when Redis is unreachable, and with undefined when it responds again. */
  readonly onRedis?: (reason: string | undefined) => void;
  /** Called when a client reaches a limit, at most once a minute for each. */
  readonly onReject?: (client: RejectedClient) => void;
  /** The maximum time that a request waits for Redis. */
  readonly redisWaitMs?: number;
  /**
   * The maximum number of clients remembered per scope. Beyond that, the oldest is dropped. Each client takes about 150
   * bytes.
   */
  readonly clientsMax?: number;
  /** The clock, in milliseconds. It is used only to measure durations. */
  readonly now?: () => number;
}

/**
 * Counts the requests and events of clients, per scope. With Redis, all servers share their counters, and counting
 * takes one round trip. A client that exceeded a limit is remembered in this process, so that a flood of requests is
 * rejected here. Without Redis, or while it is unavailable, counting is a map lookup and no promise is created.
 */
export class RateLimiter {
  readonly #table: RateLimitTable;
  readonly #counters: Readonly<Record<RateLimitScope, WindowCounter>>;
  readonly #refusals = new Map<RateLimitScope, number>(rateLimitScopes.map((scope) => [scope, 0]));
  readonly #link: RedisLink | undefined;
  readonly #shared: SharedCounter | undefined;
  readonly #ownTable: RateLimitTable;
  readonly #onReject: RateLimiterOptions['onReject'];
  readonly #rejected: RejectedClients;

  constructor(options: RateLimiterOptions) {
    const { table, redisUrl, redisWaitMs = 5, clientsMax = 100_000, now = () => performance.now() } = options;
    this.#table = table;
    this.#ownTable = options.ownTable ?? table;
    this.#onReject = options.onReject;
    this.#rejected = new RejectedClients({ now });
    this.#counters = recordOf(rateLimitScopes, (scope) => {
      const { windowMs, blockMs } = table[scope];
      return new WindowCounter({ windowMs, blockMs, clientsMax, now });
    });
    this.#link =
      redisUrl === undefined
        ? undefined
        : new RedisLink({ url: redisUrl, waitMs: redisWaitMs, onReach: options.onRedis });
    this.#shared = this.#link === undefined ? undefined : new SharedCounter(this.#link);
  }

  /** True if servers are currently sharing their counters. Undefined if Redis is not configured. */
  get isShared(): boolean | undefined {
    return this.#link?.isUp;
  }

  /** Why servers have not been able to share their counters for a while. */
  get outage(): string | undefined {
    return this.#link?.outage;
  }

  /** The clients that reached a limit recently, the last first. */
  get rejected(): readonly RejectedClient[] {
    return this.#rejected.recent;
  }

  /** The number of servers when Redis was last reachable. It is the divisor while Redis is unavailable. */
  get serversHeard(): number {
    return this.#link?.servers ?? 1;
  }

  limitOf(scope: RateLimitScope): RateLimit {
    return this.#table[scope];
  }

  /** The number of requests that each limit has rejected since the process started. */
  get refusals(): ReadonlyMap<RateLimitScope, number> {
    return this.#refusals;
  }

  /** The number of clients that each limit is counting in this process. */
  get clients(): ReadonlyMap<RateLimitScope, number> {
    return new Map(rateLimitScopes.map((scope) => [scope, this.#counters[scope].size]));
  }

  /** Records that a request was rejected. Checking for a block does not count as a rejection. */
  noteRefusal({ scope, limit }: Refusal, rejected: Pick<RejectedClient, 'client' | 'proxyId' | 'isOwn'>): void {
    this.#refusals.set(scope, (this.#refusals.get(scope) ?? 0) + 1);
    const reported = this.#rejected.note({ scope, limit, ...rejected });
    if (reported !== undefined) this.#onReject?.(reported);
  }

  /** Returns the block of a client if this server knows of one. Counts nothing. */
  findBlock(scope: RateLimitScope, client: string, isOwn = false): Refusal | undefined {
    const msLeft = this.#counters[scope].blockedMs(client);
    return msLeft > 0 ? { scope, limit: this.#tableOf(isOwn)[scope], msLeft } : undefined;
  }

  /**
   * Counts once in every scope, in order, up to the first one that rejects. Returns a promise only if Redis has to be
   * queried.
   */
  count(
    scopes: readonly RateLimitScope[],
    client: string,
    isOwn = false,
  ): Refusal | undefined | Promise<Refusal | undefined> {
    if (this.#shared === undefined || this.#link?.isUp !== true) return this.#countHere(scopes, client, isOwn);

    for (const [index, scope] of scopes.entries()) {
      const block = this.findBlock(scope, client, isOwn);
      if (block === undefined) continue;
      // A request rejected here still counts in the earlier scopes, but the caller does not wait for that.
      if (index > 0) void this.#countTogether(this.#shared, scopes.slice(0, index), { client, isOwn });
      return block;
    }
    return this.#countTogether(this.#shared, scopes, { client, isOwn });
  }

  close(): void {
    this.#link?.close();
  }

  #tableOf(isOwn: boolean): RateLimitTable {
    return isOwn ? this.#ownTable : this.#table;
  }

  #countHere(scopes: readonly RateLimitScope[], client: string, isOwn: boolean): Refusal | undefined {
    for (const scope of scopes) {
      const limit = this.#tableOf(isOwn)[scope];
      const allowed = this.#link === undefined ? limit.limit : shareOf(limit, this.serversHeard);
      const { isWithin, msLeft } = this.#counters[scope].add(client, allowed);
      if (!isWithin) return { scope, limit, msLeft };
    }
    return undefined;
  }

  async #countTogether(
    shared: SharedCounter,
    scopes: readonly RateLimitScope[],
    { client, isOwn }: { readonly client: string; readonly isOwn: boolean },
  ): Promise<Refusal | undefined> {
    const counted = scopes.map((scope) => ({
      key: `strongroom:limit:${scope}:${client}`,
      limit: this.#tableOf(isOwn)[scope],
    }));
    const counts = await shared.add(counted).catch(() => undefined);
    if (counts === undefined) return this.#countHere(scopes, client, isOwn);
    for (const [index, scope] of scopes.entries()) {
      const count = counts[index];
      if (count === undefined || count.isWithin) continue;
      const limit = this.#tableOf(isOwn)[scope];
      // In its last millisecond, a block has 0 ms remaining. If that were treated as no block, the block would start
      // again here.
      const msLeft = Math.max(1, count.msLeft);
      this.#counters[scope].block(client, msLeft);
      return { scope, limit, msLeft };
    }
    return undefined;
  }
}
