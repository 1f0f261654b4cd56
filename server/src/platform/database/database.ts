import pg from 'pg';
import type { TenantId } from '../../core/identity/ids.ts';
import { BatchMeter } from './batch-meter.ts';
import {
  beginAs,
  beginFor,
  isChanging,
  retryLostRaces,
  send,
  silenceMs,
  type SqlRow,
  type Statement,
  toLimit,
  traceInOrder,
  type Transaction,
  type TransactionOptions,
} from './statement.ts';
import { commitOnStandby } from './commit-on-standby.ts';
import { withoutApplicationName } from './connections/connection-address.ts';
import { ConnectionGenerations, ConnectionOrigin } from './connections/connection-origin.ts';
import {
  findOutage,
  isCommitUnknown,
  isConnectionLost,
  isOutcomeUnknown,
  isSilence,
  isUnreplicatedCommit,
  markRolledBack,
  markUncertain,
  toConnectionError,
  unconfirmed,
} from './database-error.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { currentDeadline, type Deadline, requireWanted } from '../waiting/deadline.ts';
import { FairLanes, type Lane } from '../waiting/fair-lanes.ts';
import { type Outage, unreachable } from './connections/outage.ts';
import { applicationRole, requireOwnSession, sessionOptions } from './connections/session-check.ts';
import { OpenTransaction } from './open-transaction.ts';

export type { SqlRow, SqlValue, Statement, Transaction, TransactionOptions } from './statement.ts';

/**
 * The share of the request's remaining time that a statement may take. It is less than 1, so that the outcome is known
 * before the request times out.
 */
const shareOfRemaining = 0.95;

export interface DatabaseOptions {
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
  readonly tracer?: Tracer;
  /** Shared with other connections of this process to the same address. */
  readonly origin?: ConnectionOrigin;
}

/**
 * The only access to PostgreSQL. Every connection uses a role that owns nothing. The scope of a transaction determines
 * what it can see: one tenant (`forTenant`), the tables without customer data (`forSystem`), users (`forPortal`), the
 * audit log (`forSealer`), or the job queue (`forWorker`).
 */
export class Database {
  readonly tracer: Tracer;
  readonly batches: BatchMeter;
  readonly #connectionsMax: number;
  readonly #statementTimeoutMs: number;
  readonly #requiresStandby: boolean;
  readonly #pool: pg.Pool;
  readonly #lanes: FairLanes;
  readonly #unreplicated = new WeakSet<pg.ClientBase>();
  readonly #reachListeners = new Set<(outage: Outage | undefined) => void>();
  #isLost = false;
  readonly #generations: ConnectionGenerations;

  constructor(options: DatabaseOptions) {
    const { statementTimeoutMs, requiresStandby = false, tracer = noTracer } = options;
    this.#requiresStandby = requiresStandby;
    this.tracer = tracer;
    this.batches = new BatchMeter(tracer);
    this.#generations = new ConnectionGenerations(options.origin ?? new ConnectionOrigin());
    this.#connectionsMax = options.connectionsMax;
    this.#statementTimeoutMs = statementTimeoutMs;
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

  /** Runs `work` in a transaction that sees one tenant. The work must not be slow, because it holds a connection. */
  forTenant<T>(
    tenantId: TenantId,
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#transaction(tenantId, beginFor(tenantId), { ...options, work });
  }

  /** Runs `work` across tenants, on the few tables without customer data. */
  forSystem<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('vault', beginAs('strongroom_system'), { work });
  }

  /** Runs `work` on users and their sign-in data, across tenants. */
  forPortal<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('vault', beginAs('strongroom_portal'), { work });
  }

  /** Runs `work` on the audit log of every tenant. The login must be a member of the sealer role. */
  forSealer<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('vault', beginAs('strongroom_sealer'), { work });
  }

  /** Runs `work` on the job queue. The login must be a member of the worker role. */
  forWorker<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('vault', beginAs('strongroom_worker'), { work });
  }

  /** Runs one statement for a tenant in its own transaction, in one round trip. */
  runForTenant<Row extends SqlRow>(tenantId: TenantId, statement: Statement): Promise<Row[]> {
    return this.#withClient(tenantId, (client) =>
      retryLostRaces(async () => {
        // These are sent without waiting for each other. PostgreSQL processes them in order, so the scope is set before
        // the statement runs, and a failed statement turns the commit into a rollback.
        const isChange = isChanging(statement);
        const deadline = currentDeadline();
        const limitMs = this.#findLimitMs();
        if (isChange) deadline?.beginChange();
        const beginning = send(client, { text: beginFor(tenantId) + toLimit(limitMs) }, limitMs);
        const answering = send<Row>(client, statement, limitMs);
        const committing = this.#commit(client, limitMs);
        traceInOrder(this.tracer, statement, { answering, committing });
        const [begun, answered, committed] = await Promise.allSettled([beginning, answering, committing]);
        for (const part of [begun, answered, committed]) {
          if (part.status === 'fulfilled') continue;
          if (isChange) this.#noteFailure(part.reason, deadline, part === committed);
          throw part.reason;
        }
        if (answered.status === 'rejected') throw answered.reason;
        return answered.value;
      }),
    );
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

  get usage(): { readonly open: number; readonly idle: number; readonly max: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { open: totalCount, idle: idleCount, max: this.#connectionsMax, waiting: this.#lanes.waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #transaction<T>(
    lane: Lane,
    begin: string,
    { work, statementTimeoutMs }: TransactionOptions & { readonly work: (tx: Transaction) => Promise<T> },
  ): Promise<T> {
    return this.#withClient(lane, (client) =>
      retryLostRaces(async () => {
        const deadline = currentDeadline();
        const limitMs = this.#findLimitMs(statementTimeoutMs);
        const tx = new OpenTransaction(client, this.tracer, limitMs);
        let isCommitting = false;
        try {
          // `begin` is not awaited first, so it is sent together with the first statement of `work`.
          const begun = send(client, { text: begin + toLimit(limitMs) }, limitMs);
          const [, result] = await Promise.all([begun, work(tx)]);
          tx.end();
          // Nothing is visible to others before the commit. If the request has timed out, the work is rolled back.
          if (tx.isChange) deadline?.beginChange();
          isCommitting = true;
          await this.tracer.span('commit', {}, () => this.#commit(client, limitMs));
          return result;
        } catch (error) {
          tx.end();
          if (isCommitting && tx.isChange) this.#noteFailure(error, deadline, true);
          if (isConnectionLost(error)) throw error;
          await send(client, { text: 'rollback' });
          markRolledBack(error);
          throw error;
        }
      }),
    );
  }

  /** Records the failure of a change that was sent: either its outcome is unknown, or it did not take effect. */
  #noteFailure(error: unknown, deadline: Deadline | undefined, isOfCommit: boolean): void {
    if (isOfCommit ? isCommitUnknown(error) : isOutcomeUnknown(error)) markUncertain(error);
    else deadline?.undoChange();
  }

  /**
   * Returns the time limit for a statement, in milliseconds, or undefined if the connection's own limit applies. No
   * statement should run for longer than its request can wait.
   */
  #findLimitMs(ownMs = Number.POSITIVE_INFINITY): number | undefined {
    const remainingMs = currentDeadline()?.remainingMs ?? Number.POSITIVE_INFINITY;
    const limitMs = Math.min(ownMs, remainingMs * shareOfRemaining);
    // Zero would mean no limit.
    return limitMs < this.#statementTimeoutMs ? Math.max(1, Math.trunc(limitMs)) : undefined;
  }

  /** Sends everything at once, so that a commit takes one round trip even if a standby is required. */
  async #commit(client: pg.ClientBase, limitMs: number | undefined): Promise<void> {
    if (this.#requiresStandby) await commitOnStandby((statement) => send(client, statement, limitMs));
    else await send(client, { text: 'commit' }, limitMs);
  }

  #withClient<T>(lane: Lane, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.tracer.span('transaction', {}, () => this.#lanes.run(lane, () => this.#withEnteredClient(work)));
  }

  async #withEnteredClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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
