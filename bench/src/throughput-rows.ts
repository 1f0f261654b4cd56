/** One line of the comparison: what is asked of the vault, and what bare PostgreSQL does for the same rows. */
export interface ThroughputRow {
  readonly work: string;
  readonly against: string;
  /** Least ratio of the two. */
  readonly goal: number;
  /** The script of wrk and that of pgbench. */
  readonly script: string;
  readonly bareScript: string;
  readonly connections: number;
  /** Tokens that one request makes or reads, where that is what is counted. */
  readonly tokensPerRequest: number;
  /** Left out of the short form, which has half a minute. */
  readonly isLongOnly?: boolean;
}

export const connections = 64;
/** A request of a hundred tokens is as much work as many others: more of them would only wait. */
const fewConnections = 16;
export const bareClients = 32;

export const throughputRows: readonly ThroughputRow[] = [
  {
    work: 'POST /tokens, a card',
    against: 'BEGIN, the same inserts, COMMIT',
    goal: 1,
    script: 'create-card',
    bareScript: 'create-card',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokens, a card',
    against: 'the same rows in one statement',
    goal: 1,
    script: 'create-card',
    bareScript: 'create-card-in-one',
    connections,
    tokensPerRequest: 1,
    isLongOnly: true,
  },
  {
    work: 'GET /tokens/{id}, a card',
    against: 'BEGIN, select, audit insert, COMMIT',
    goal: 1.5,
    script: 'get-card',
    bareScript: 'get-card',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokenize, 100 values',
    against: 'the same 100 rows by unnest in one statement',
    goal: 0.7,
    script: 'tokenize',
    bareScript: 'tokenize',
    connections: fewConnections,
    tokensPerRequest: 100,
  },
  {
    work: 'GET /tokens, 20 of them',
    against: 'BEGIN, the same queries, audit insert, COMMIT',
    goal: 0.7,
    script: 'list',
    bareScript: 'list',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokens/search, by one index',
    against: 'BEGIN, the same queries, audit insert, COMMIT',
    goal: 0.7,
    script: 'search',
    bareScript: 'search',
    connections,
    tokensPerRequest: 1,
  },
];

/** Works whose latency is compared at rates that neither side is at its limit with. */
export const latencyRows = [
  { work: 'POST /tokens, a card', script: 'create-card' },
  { work: 'GET /tokens/{id}, a card', script: 'get-card' },
] as const;
/** Shares of the greatest rate that the vault reached in the same run. */
export const latencyShares = [1 / 6, 1 / 2] as const;
/** The most that latencies may be of those of bare PostgreSQL. */
export const latencyGoals = { p50: 1.5, p99: 1 } as const;
