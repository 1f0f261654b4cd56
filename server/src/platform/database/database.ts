import type pg from 'pg';
import type { TenantId } from '../../core/identity/ids.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { currentDeadline, type Deadline } from '../waiting/deadline.ts';
import type { Lane } from '../waiting/fair-lanes.ts';
import { BatchMeter } from './batch-meter.ts';
import { commitOnStandby } from './commit-on-standby.ts';
import { ConnectionPool, type ConnectionPoolOptions, type PoolUsage } from './connection-pool.ts';
import type { Outage } from './connections/outage.ts';
import {
  isCommitUnknown,
  isConnectionLost,
  isOutcomeUnknown,
  markRolledBack,
  markUncertain,
} from './database-error.ts';
import { OpenTransaction } from './open-transaction.ts';
import {
  beginAs,
  beginFor,
  isChanging,
  retryLostRaces,
  send,
  type SqlRow,
  type Statement,
  toLimit,
  traceInOrder,
  type Transaction,
  type TransactionOptions,
} from './statement.ts';

export type { SqlRow, SqlValue, Statement, Transaction, TransactionOptions } from './statement.ts';

/**
 * The share of the request's remaining time that a statement may take. It is less than 1, so that the outcome is known
 * before the request times out.
 */
const shareOfRemaining = 0.95;

export interface DatabaseOptions extends ConnectionPoolOptions {
  readonly tracer?: Tracer;
}

/**
 * The only access to PostgreSQL. Every connection uses a role that owns nothing. The scope of a transaction determines
 * what it can see: one tenant (`forTenant`), the tables without customer data (`forSystem`), users (`forPortal`), the
 * audit log (`forSealer`), or the job queue (`forWorker`).
 */
export class Database {
  readonly tracer: Tracer;
  readonly batches: BatchMeter;
  readonly #statementTimeoutMs: number;
  readonly #requiresStandby: boolean;
  readonly #pool: ConnectionPool;

  constructor(options: DatabaseOptions) {
    const { statementTimeoutMs, requiresStandby = false, tracer = noTracer } = options;
    this.#requiresStandby = requiresStandby;
    this.tracer = tracer;
    this.batches = new BatchMeter(tracer);
    this.#statementTimeoutMs = statementTimeoutMs;
    this.#pool = new ConnectionPool(options);
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
  requireConnection(): Promise<void> {
    return this.#pool.requireConnection();
  }

  /**
   * Registers a listener that is called with an outage when the database becomes unreachable, and with undefined when
   * it is reachable again.
   */
  onReach(listener: (outage: Outage | undefined) => void): void {
    this.#pool.onReach(listener);
  }

  get usage(): PoolUsage {
    return this.#pool.usage;
  }

  close(): Promise<void> {
    return this.#pool.close();
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
    return this.tracer.span('transaction', {}, () => this.#pool.run(lane, work));
  }
}
