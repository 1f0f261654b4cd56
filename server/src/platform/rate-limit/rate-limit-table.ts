/** What is counted. The first six are counted per request; the others when the thing happens that they are about. */
export const rateLimitScopes = [
  'global',
  'portal',
  'token-search',
  'token-list',
  'token-write',
  'log-export',
  'key-guessing',
  'mail',
] as const;
export type RateLimitScope = (typeof rateLimitScopes)[number];

export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
  /** How long a client is refused after it went past the limit. */
  readonly blockMs: number;
  /**
   * What a server allows by itself while it cannot ask Redis. `share`: the limit divided by the servers that were there
   * when Redis was last heard. `closed`: at most a tenth, because letting more through would defeat the limit.
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
  /** Every request, whatever else it counts as. */
  global: perTenSeconds(1_000),
  portal: perTenSeconds(600),
  /** POST /tokens/search, POST /v2/tokens/search */
  'token-search': perTenSeconds(50),
  /** GET /tokens, GET /v2/tokens */
  'token-list': perTenSeconds(100),
  /** POST /tokens, POST /tokenize */
  'token-write': perTenSeconds(200),
  /** GET /logs/export */
  'log-export': perTenSeconds(20),
  /** Keys that turned out not to be valid. A key cannot be guessed; this keeps the guesses away from the database. */
  'key-guessing': { ...perTenSeconds(100), whenRedisIsAway: 'closed' },
  /** Mails that somebody caused to be sent. */
  mail: { limit: 50, windowMs: 3_600 * seconds, blockMs: 3_600 * seconds, whenRedisIsAway: 'closed' },
};

/** The table with other limits in some rows; windows and blocks stay as they are. */
export function withLimits(limits: Partial<Readonly<Record<RateLimitScope, number>>>): RateLimitTable {
  const rows = rateLimitScopes.map((scope) => {
    const row = rateLimitTable[scope];
    return [scope, { ...row, limit: limits[scope] ?? row.limit }] as const;
  });
  return Object.fromEntries(rows) as Record<RateLimitScope, RateLimit>;
}

/** The fewest servers that a closed limit is divided by, however few there are. */
const serversAssumed = 10;

/** What one of several servers allows by itself. */
export function shareOf({ limit, whenRedisIsAway }: RateLimit, servers: number): number {
  const parts = whenRedisIsAway === 'closed' ? Math.max(servers, serversAssumed) : Math.max(servers, 1);
  return Math.ceil(limit / parts);
}
