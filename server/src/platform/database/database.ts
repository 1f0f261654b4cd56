import pg from 'pg';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { isConnectionLost, isLostRace, isUnreplicatedCommit, toDatabaseError } from './database-error.ts';

/** Tries of a transaction that PostgreSQL gave up in favour of another one. */
const attemptsMax = 3;

export interface DatabaseOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** Requests that may wait for a connection; one more is turned away at once instead of queueing without end. */
  readonly queueMax: number;
  readonly acquireTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
}

export type SqlValue = string | number | boolean | null | Date | Buffer | readonly SqlValue[];
/** Rows are typed by the store that wrote the query; the types stand beside the SQL they belong to. */
export type SqlRow = object;

/** A statement with a name is prepared once per connection and only executed afterwards. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** What stores are built on: it exists only inside `forTenant`, `forSystem`, `forPortal` or `forSealer`. */
export interface Transaction {
  query<Row extends SqlRow>(statement: Statement): Promise<Row[]>;
}

/**
 * The one door to PostgreSQL. Every connection serves as a role that owns nothing; what it may see is decided per
 * transaction: one tenant (`forTenant`), the tables without customer data (`forSystem`), users (`forPortal`), or the audit log
 * (`forSealer`).
 */
export class Database {
  readonly #pool: pg.Pool;
  readonly #queueMax: number;
  readonly #unreplicated = new WeakSet<pg.ClientBase>();

  constructor(options: DatabaseOptions) {
    this.#queueMax = options.queueMax;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      connectionTimeoutMillis: options.acquireTimeoutMs,
      idleTimeoutMillis: 60_000,
      application_name: options.applicationName,
      // No just-in-time compilation: it took longer than the short statements it was meant to speed up.
      // Set in the start-up packet, so there is no moment in which a connection has more rights than it should.
      options: `-c role=strongroom_app -c statement_timeout=${options.statementTimeoutMs} -c idle_in_transaction_session_timeout=${options.statementTimeoutMs} -c jit=off`,
      // The server's own timeout comes first; this one ends waits that the server does not know of (a dead network).
      query_timeout: options.statementTimeoutMs + 2_000,
      keepAlive: true,
      // Statements go out without waiting for the answer to the one before.
      pipeline: true,
    });
    this.#pool.on('connect', (client) => {
      client.on('notice', (notice) => {
        if (isUnreplicatedCommit(notice)) this.#unreplicated.add(client);
      });
      // A connection cut between two statements of a transaction has nobody else to tell; without a listener the cut
      // would end the process. The next statement on it fails and gives the connection up.
      client.on('error', () => undefined);
    });
    // An idle connection that breaks is replaced by the pool; the next request sees the outcome.
    this.#pool.on('error', () => undefined);
  }

  /** Runs `work` in a transaction that sees one tenant. Nothing slow belongs inside: it holds a connection. */
  forTenant<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(beginFor(tenantId), work);
  }

  /** Runs `work` across tenants, on the few tables that hold no customer data. */
  forSystem<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('begin isolation level read committed; set local role strongroom_system', work);
  }

  /** Runs `work` on users and how they sign in, across tenants. */
  forPortal<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('begin isolation level read committed; set local role strongroom_portal', work);
  }

  /** Runs `work` on the audit log of every tenant. Only a login that is a member of that role may. */
  forSealer<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction('begin isolation level read committed; set local role strongroom_sealer', work);
  }

  /** Runs one statement of a tenant as a transaction of its own, in one round trip. */
  runForTenant<Row extends SqlRow>(tenantId: TenantId, statement: Statement): Promise<Row[]> {
    return this.#withClient(async (client) => {
      // Sent without waiting for each other; PostgreSQL works them off in order, so the scope is set before the
      // statement runs, and a refused statement turns the commit into a rollback.
      const [begun, answered, committed] = await Promise.allSettled([
        send(client, { text: beginFor(tenantId) }),
        send<Row>(client, statement),
        send(client, { text: 'commit' }),
      ]);
      for (const part of [begun, answered, committed]) if (part.status === 'rejected') throw part.reason;
      if (answered.status === 'rejected') throw answered.reason;
      return answered.value;
    });
  }

  get usage(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #transaction<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          // Not awaited first: the opening travels together with the first statement of the work.
          const begun = send(client, { text: begin });
          const [, result] = await Promise.all([begun, work({ query: (statement) => send(client, statement) })]);
          await send(client, { text: 'commit' });
          return result;
        } catch (error) {
          if (isConnectionLost(error)) throw error;
          await send(client, { text: 'rollback' });
          if (!isLostRace(error) || attempt === attemptsMax) throw error;
        }
      }
    });
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#pool.idleCount === 0 && this.#pool.waitingCount >= this.#queueMax) {
      throw new DomainError('overloaded', 'The vault is handling as many requests as it can. Try again shortly.');
    }
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toDatabaseError(error);
    });
    let isHealthy = true;
    try {
      const result = await work(client);
      if (this.#unreplicated.has(client)) {
        // The commit was cut short while it waited for the standby: the row may not survive a failover, so nobody is
        // told that it was stored.
        throw new DomainError('overloaded', 'The write was not confirmed by the standby database. Try again shortly.');
      }
      return result;
    } catch (error) {
      isHealthy = !isConnectionLost(error);
      throw error;
    } finally {
      // After a timeout or a broken connection its state is unknown: it is closed and never used again.
      client.release(!isHealthy);
    }
  }
}

async function send<Row extends SqlRow>(client: pg.ClientBase, statement: Statement): Promise<Row[]> {
  try {
    const { name, text, values } = statement;
    const result = await client.query({
      text,
      ...(name === undefined ? {} : { name }),
      ...(values === undefined ? {} : { values: [...values] }),
    });
    return result.rows as Row[];
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** The id becomes part of SQL text here, so it is checked again at the last moment. */
function beginFor(tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `begin isolation level read committed; select set_config('app.tenant_id', '${tenantId}', true)`;
}
