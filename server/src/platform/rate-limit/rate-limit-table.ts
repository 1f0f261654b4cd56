import { recordOf } from '../../core/objects/keys-of.ts';

/**
 * The kinds of events that are counted. The first six are counted per request, and the others when their event happens.
 */
export const rateLimitScopes = [
  'global',
  'portal',
  'token-search',
  'token-list',
  'token-write',
  'log-export',
  'key-guessing',
  'keyless-proxy',
  'mail',
] as const;
export type RateLimitScope = (typeof rateLimitScopes)[number];

export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
  /** The time for which a client is blocked after it exceeded the limit. */
  readonly blockMs: number;
  /**
   * The part of the limit that a server allows on its own while Redis is unavailable. With `share`, it is the limit
   * divided by the number of servers when Redis was last reachable. With `closed`, it is at most a tenth, because
   * allowing more would defeat the limit.
   */
  readonly whenRedisIsAway: 'share' | 'closed';
}

export type RateLimitTable = Readonly<Record<RateLimitScope, RateLimit>>;

const seconds = 1_000;
const perTenSeconds = (limit: number): RateLimit => ({
  limit,
  windowMs: 10 * seconds,
  blockMs: 10 * seconds,
  whenRedisIsAway: 'share',
});

/** Every limit of the vault, per client address. */
export const rateLimitTable: RateLimitTable = {
  /** Counts every request, in addition to any other limit. */
  global: perTenSeconds(1_000),
  portal: perTenSeconds(600),
  /** Counts POST /tokens/search and POST /v2/tokens/search. */
  'token-search': perTenSeconds(50),
  /** Counts GET /tokens and GET /v2/tokens. */
  'token-list': perTenSeconds(100),
  /** Counts POST /tokens and POST /tokenize. */
  'token-write': perTenSeconds(200),
  /** Counts GET /logs/export. */
  'log-export': perTenSeconds(20),
  /** Counts invalid keys. A key cannot be guessed, but this keeps the attempts away from the database. */
  'key-guessing': { ...perTenSeconds(100), whenRedisIsAway: 'closed' },
  /** Counts calls of a stored proxy that needs no API key, for each proxy and client. */
  'keyless-proxy': perTenSeconds(50),
  /** Counts mails that a client causes to be sent. */
  mail: { limit: 50, windowMs: 3_600 * seconds, blockMs: 3_600 * seconds, whenRedisIsAway: 'closed' },
};

/** Returns the table with some limits replaced. Windows and blocks stay the same. */
export function withLimits(limits: Partial<Readonly<Record<RateLimitScope, number>>>): RateLimitTable {
  return recordOf(rateLimitScopes, (scope) => {
    const row = rateLimitTable[scope];
    return { ...row, limit: limits[scope] ?? row.limit };
  });
}

const ownFactor = 10;
/** The limits that stay the same for the operator's own networks by default, because no service needs more. */
const sameForAll: ReadonlySet<RateLimitScope> = new Set(['key-guessing', 'mail']);

/** Returns the limits of clients in the operator's own networks. */
export function ownLimits(
  table: RateLimitTable,
  limits: Partial<Readonly<Record<RateLimitScope, number>>> = {},
): RateLimitTable {
  return recordOf(rateLimitScopes, (scope) => {
    const row = table[scope];
    return { ...row, limit: limits[scope] ?? row.limit * (sameForAll.has(scope) ? 1 : ownFactor) };
  });
}

/** The minimum divisor of a closed limit. */
const serversAssumed = 10;

/** Returns the limit that one of several servers applies on its own. */
export function shareOf({ limit, whenRedisIsAway }: RateLimit, servers: number): number {
  const parts = whenRedisIsAway === 'closed' ? Math.max(servers, serversAssumed) : Math.max(servers, 1);
  return Math.ceil(limit / parts);
}
