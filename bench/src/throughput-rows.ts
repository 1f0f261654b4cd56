/** A line of the comparison: a request to the vault, and the work that bare PostgreSQL does for the same rows. */
export interface ThroughputRow {
  readonly work: string;
  readonly against: string;
  /** The lowest acceptable ratio of the vault's rate to that of bare PostgreSQL. */
  readonly goal: number;
  /** The highest acceptable ratio of PostgreSQL's processor time for one request. */
  readonly costGoal: number;
  /** The wrk script. `bareScript` is the pgbench script. */
  readonly script: string;
  readonly bareScript: string;
  readonly connections: number;
  /** The number of tokens that one request creates or reads, or 1 if requests are counted instead of tokens. */
  readonly tokensPerRequest: number;
  /** True if the row is excluded from the short form, which takes half a minute. */
  readonly isLongOnly?: boolean;
}

export const connections = 64;
/**
 * A request with a hundred tokens takes as much work as many single requests, so additional connections would only
 * wait.
 */
const fewConnections = 16;
export const bareClients = 32;

export const throughputRows: readonly ThroughputRow[] = [
  {
    work: 'POST /tokens, a card',
    against: 'BEGIN, the same inserts, COMMIT',
    goal: 1,
    costGoal: 0.25,
    script: 'create-card',
    bareScript: 'create-card',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokens, a card',
    against: 'the same rows in one statement',
    goal: 1,
    costGoal: 0.25,
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
    costGoal: 0.25,
    script: 'get-card',
    bareScript: 'get-card',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokenize, 100 values',
    against: 'the same 100 rows by unnest in one statement',
    goal: 0.7,
    costGoal: 1,
    script: 'tokenize',
    bareScript: 'tokenize',
    connections: fewConnections,
    tokensPerRequest: 100,
  },
  {
    work: 'GET /tokens, 20 of them',
    against: 'BEGIN, the same queries, audit insert, COMMIT',
    goal: 0.7,
    costGoal: 0.8,
    script: 'list',
    bareScript: 'list',
    connections,
    tokensPerRequest: 1,
  },
  {
    work: 'POST /tokens/search, by one index',
    against: 'BEGIN, the same queries, audit insert, COMMIT',
    goal: 0.7,
    costGoal: 0.8,
    script: 'search',
    bareScript: 'search',
    connections,
    tokensPerRequest: 1,
  },
];

/** Requests whose latency is compared at rates that both sides can sustain. */
export const latencyRows = [
  { work: 'POST /tokens, a card', script: 'create-card' },
  { work: 'GET /tokens/{id}, a card', script: 'get-card' },
] as const;
/** The rates, as fractions of the highest rate that the vault reached in the same run. */
export const latencyShares = [1 / 6, 1 / 2] as const;
/** The highest acceptable ratios of the vault's latencies to those of bare PostgreSQL. */
export const latencyGoals = { p50: 1.5, p99: 1 } as const;
