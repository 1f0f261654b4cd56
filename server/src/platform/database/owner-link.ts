import type pg from 'pg';
import type { TenantId } from '../../core/identity/ids.ts';
import { commitOnStandby } from './commit-on-standby.ts';
import { withOwnerSession } from './owner-session.ts';
import { retryLostRaces } from './retry-lost-races.ts';
import { applicationRole } from './session-check.ts';
import { send, type SqlRow, type Statement, type Transaction } from './statement.ts';

/** Longer than any statement takes that is sent here; then the database is taken to be gone. */
const answerMaxMs = 60_000;

/**
 * Rows travel between databases as text: both write it alike, whatever is set for the role or the database. And what one database has
 * committed survives its crash before the other goes by it. A session whose process hangs within a transaction, or whose machine is gone,
 * ends within half a minute, and with it the locks that servers and other commands wait for.
 */
const sessionText = `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex';
  set extra_float_digits = 1; set synchronous_commit = 'on'; set idle_in_transaction_session_timeout = '15s';
  set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = '25s'`;

export interface OwnerLinkOptions {
  readonly url: string;
  /** The setting that the address is from. */
  readonly variable: string;
  readonly applicationName: string;
  /** Whether a commit counts only if a synchronous standby has it. */
  readonly requiresStandby?: boolean | undefined;
}

/**
 * One session as the owner of a database, for a long piece of work of many transactions. A lock that it takes fences the work: when
 * the session ends, whatever it had begun is committed or undone before another can have the lock.
 */
export class OwnerLink {
  readonly #client: pg.Client;
  readonly #requiresStandby: boolean;
  #answerMaxMs = answerMaxMs;

  static with<T>(options: OwnerLinkOptions, work: (link: OwnerLink) => Promise<T>): Promise<T> {
    return withOwnerSession(options.url, { ...options, isPipelined: true }, async (client) => {
      // A connection that breaks between two statements fails the next one; without a listener it would end the process.
      client.on('error', () => undefined);
      await client.query(sessionText);
      return work(new OwnerLink(client, options.requiresStandby ?? false));
    });
  }

  private constructor(client: pg.Client, requiresStandby: boolean) {
    this.#client = client;
    this.#requiresStandby = requiresStandby;
  }

  /** Until the session ends; false if another session has it. */
  async tryLock(lock: number): Promise<boolean> {
    const [row] = await this.#send<{ isLocked: boolean }>({
      text: 'select pg_try_advisory_lock($1) as "isLocked"',
      values: [lock],
    });
    return row?.isLocked === true;
  }

  /**
   * Runs `work` in a transaction as the owner. It may be run again if another transaction was preferred. `opening` is SQL that is
   * sent with the beginning.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, opening = ''): Promise<T> {
    return retryLostRaces(async () => {
      try {
        // Not awaited first: it is sent together with the first statements of the work.
        const begun = this.#send({ text: `begin isolation level read committed; ${opening}` });
        const [, result] = await Promise.all([begun, work({ query: (statement) => this.#send(statement) })]);
        await this.#commit();
        return result;
      } catch (error) {
        // Fails where the connection is lost, and then there is nothing to undo.
        await this.#send({ text: 'rollback' }).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs `work` as the role of the servers: with rows of one tenant, if one is named. */
  asApplication<T>(
    tenantId: TenantId | undefined,
    work: (tx: Transaction) => Promise<T>,
    settings: Readonly<Record<string, 'on'>> = {},
  ): Promise<T> {
    return this.transaction(work, toApplication(tenantId, settings));
  }

  /** One statement of a tenant, as `Database` runs it. */
  runForTenant<Row extends SqlRow>(tenantId: TenantId, statement: Statement): Promise<Row[]> {
    return this.asApplication(tenantId, (tx) => tx.query<Row>(statement));
  }

  /** For work that others wait for: a database that does not answer in this time is taken to be gone. */
  async withAnswersWithin<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    this.#answerMaxMs = milliseconds;
    try {
      return await work();
    } finally {
      this.#answerMaxMs = answerMaxMs;
    }
  }

  async #commit(): Promise<void> {
    if (this.#requiresStandby) await commitOnStandby((statement) => this.#send(statement));
    else await this.#send({ text: 'commit' });
  }

  #send<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    return send<Row>(this.#client, statement, this.#answerMaxMs);
  }
}

/** The id becomes part of SQL text here, so it is checked again at the last moment. */
function toApplication(tenantId: TenantId | undefined, settings: Readonly<Record<string, 'on'>>): string {
  if (tenantId !== undefined && !/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  const all = Object.entries({ ...settings, 'app.tenant_id': tenantId ?? '' });
  const set = all.map(([name, value]) => `select set_config('${name}', '${value}', true)`);
  return [`set local role ${applicationRole}`, ...set].join('; ');
}
