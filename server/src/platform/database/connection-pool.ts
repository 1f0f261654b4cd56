import pg from 'pg';
import { FairLanes, type Lane } from '../waiting/fair-lanes.ts';
import { requireWanted } from '../waiting/deadline.ts';
import { withoutApplicationName } from './connections/connection-address.ts';
import { ConnectionGenerations, ConnectionOrigin } from './connections/connection-origin.ts';
import { type Outage, unreachable } from './connections/outage.ts';
import { applicationRole, requireOwnSession, sessionOptions } from './connections/session-check.ts';
import {
  findOutage,
  isConnectionLost,
  isSilence,
  isUnreplicatedCommit,
  toConnectionError,
  unconfirmed,
} from './database-error.ts';
import { silenceMs } from './statement.ts';

export interface ConnectionPoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /**
   * The number of requests of one tenant that may wait for a connection. Further requests are rejected instead of
   * queueing indefinitely.
   */
  readonly queueMax: number;
  readonly acquireTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** True if writes are rejected while no synchronous standby is attached. False by default. */
  readonly requiresStandby?: boolean | undefined;
  /** Shared with other connections of this process to the same address. */
  readonly origin?: ConnectionOrigin;
}

export interface PoolUsage {
  readonly open: number;
  readonly idle: number;
  readonly max: number;
  readonly waiting: number;
}

/**
 * The connections of a process to PostgreSQL. They are shared fairly by tenants, checked before their first use, and
 * closed when the server behind them no longer responds or is no longer the primary.
 */
export class ConnectionPool {
  readonly #connectionsMax: number;
  readonly #pool: pg.Pool;
  readonly #lanes: FairLanes;
  readonly #unreplicated = new WeakSet<pg.ClientBase>();
  readonly #reachListeners = new Set<(outage: Outage | undefined) => void>();
  readonly #generations: ConnectionGenerations;
  #isLost = false;

  constructor(options: ConnectionPoolOptions) {
    const { statementTimeoutMs, requiresStandby = false } = options;
    this.#generations = new ConnectionGenerations(options.origin ?? new ConnectionOrigin());
    this.#connectionsMax = options.connectionsMax;
    const session = { role: applicationRole, statementTimeoutMs, idleTimeoutMs: statementTimeoutMs };
    this.#lanes = new FairLanes({
      slotsMax: options.connectionsMax,
      waitingMax: options.queueMax,
      waitMaxMs: options.acquireTimeoutMs,
    });
    this.#pool = new pg.Pool({
      connectionString: withoutApplicationName(options.url),
      max: options.connectionsMax,
      connectionTimeoutMillis: options.acquireTimeoutMs,
      idleTimeoutMillis: 60_000,
      application_name: options.applicationName,
      // Just-in-time compilation is off because it takes longer than the short statements it is meant to speed up. The
      // role is set in the startup packet, so a connection never has excess privileges, not even briefly. If a standby
      // is required, commits wait for it regardless of the server's default.
      options: `${sessionOptions(session)} -c jit=off${requiresStandby ? ' -c synchronous_commit=on' : ''}`,
      // This is checked once, before the connection is used, because a pooler or proxy between the vault and PostgreSQL
      // may drop startup options.
      verify: (client, finish) =>
        void requireOwnSession(client, session)
          .then((origin) => this.#generations.add(client, origin))
          .then(() => finish(), finish),
      query_timeout: statementTimeoutMs + silenceMs,
      keepAlive: true,
      // Statements are sent without waiting for the previous response.
      pipeline: true,
    });
    this.#pool.on('connect', (client) => {
      client.on('notice', (notice) => {
        if (isUnreplicatedCommit(notice)) this.#unreplicated.add(client);
      });
      // If a connection breaks between two statements of a transaction, nothing else handles the error. Without a
      // listener it would end the process. The next statement on it fails and closes the connection.
      client.on('error', () => undefined);
    });
    // The pool replaces a broken idle connection. If that fails, the next request reports the error.
    this.#pool.on('error', () => undefined);
  }

  /** Runs `work` with a connection as soon as it is the turn of the lane. */
  run<T>(lane: Lane, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#lanes.run(lane, () => this.#withClient(work));
  }

  /** Throws an error for the operator if a connection cannot be opened or does not have the requested settings. */
  async requireConnection(): Promise<void> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    client.release();
    this.#noteReach(undefined);
  }

  /**
   * Registers a listener that is called with an outage when the database becomes unreachable, and with undefined when
   * it is reachable again.
   */
  onReach(listener: (outage: Outage | undefined) => void): void {
    this.#reachListeners.add(listener);
  }

  get usage(): PoolUsage {
    const { totalCount, idleCount } = this.#pool;
    return { open: totalCount, idle: idleCount, max: this.#connectionsMax, waiting: this.#lanes.waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    requireWanted();
    const client = await this.#connect();
    let isHealthy = true;
    try {
      requireWanted();
      const result = await work(client);
      this.#noteReach(undefined);
      if (this.#unreplicated.has(client)) {
        // The commit stopped waiting before the standby confirmed it.
        throw unconfirmed();
      }
      return result;
    } catch (error) {
      isHealthy = !isConnectionLost(error);
      const outage = findOutage(error);
      if (outage !== undefined) this.#noteReach(outage);
      if (isSilence(error)) this.#generations.endWith(client);
      throw error;
    } finally {
      // After a timeout or a broken connection, the state of the connection is unknown, so it is closed and never
      // reused.
      client.release(!isHealthy);
    }
  }

  /**
   * Returns a current connection and closes any stale ones that it encounters. If the database stopped responding on
   * one connection, older ones are probably dead too, and trying each of them would take a full statement timeout. If a
   * newer connection reached another server, older ones may lead to a replaced primary.
   */
  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        const failure = toConnectionError(error);
        const outage = findOutage(failure);
        if (outage !== undefined) this.#noteReach(outage);
        throw failure;
      });
      if (this.#generations.isCurrent(client)) return client;
      client.release(true);
    }
  }

  #noteReach(outage: Outage | undefined): void {
    const isLost = outage !== undefined;
    if (isLost === this.#isLost) return;
    this.#isLost = isLost;
    for (const listener of this.#reachListeners) listener(outage);
  }
}
