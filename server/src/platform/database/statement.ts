import type { TenantId } from '../../core/identity/ids.ts';
import type pg from 'pg';
import { isLostRace, toDatabaseError } from './database-error.ts';
import type { SpanAttributes } from '../telemetry/span-attributes.ts';
import { endWith, type Tracer } from '../telemetry/tracer.ts';

export type SqlValue = string | number | boolean | null | Date | Buffer | readonly SqlValue[];
/** A row. The store declares its type next to the SQL. */
export type SqlRow = object;

/** A statement. If it has a name, it is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** Overrides for the defaults of a transaction. */
export interface TransactionOptions {
  /** A statement timeout that is shorter than that of the connection. */
  readonly statementTimeoutMs?: number;
}

/** The interface that stores are built on. It exists only inside `forTenant`, `forSystem` and the other scopes. */
export interface Transaction {
  query<Row extends SqlRow>(statement: Statement): Promise<Row[]>;
}

/**
 * The extra time after the server's own timeout, in milliseconds. The server's timeout should fire first. If there is
 * no response after this time, the network is assumed to be dead.
 */
export const silenceMs = 2_000;

/** Sends a statement. `limitMs` is its time limit if that is tighter than the connection's limit. */
export async function send<Row extends SqlRow>(
  client: pg.ClientBase,
  statement: Statement,
  limitMs?: number,
): Promise<Row[]> {
  try {
    const { name, text, values } = statement;
    const result: pg.QueryResult | pg.QueryResult[] = await client.query({
      text,
      ...(name === undefined ? {} : { name }),
      ...(values === undefined ? {} : { values: [...values] }),
      ...(limitMs === undefined ? {} : { query_timeout: limitMs + silenceMs }),
    });
    // A text with several statements has a result for each of them.
    const rows = Array.isArray(result) ? result.flatMap((one) => one.rows) : result.rows;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines the type of its rows.
    return rows as Row[];
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Matches statements that write. The function names are those of functions from the migrations that write data and that
 * a server calls in a `select`.
 */
const changes =
  /\b(?:insert into|update|delete from|enqueue_job|wake_webhooks|wake_log_streams|join_user|join_by_provider|close_older_keys)\b/i;
const byName = new Map<string, boolean>();

/** Returns true if it matters whether the statement was committed. A statement that only locks rows counts too. */
export function isChanging({ name, text }: { readonly name?: string; readonly text: string }): boolean {
  // A prepared statement always has the same text. It is searched only once, because searching the longest texts takes
  // longer than sending them.
  if (name === undefined) return changes.test(text);
  const known = byName.get(name);
  if (known !== undefined) return known;
  const isChange = changes.test(text);
  byName.set(name, isChange);
  return isChange;
}

/**
 * Returns SQL that begins a transaction for one tenant. The id becomes part of the text here, so it is validated once
 * more.
 */
export function beginFor(tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `begin isolation level read committed; select set_config('app.tenant_id', '${tenantId}', true)`;
}

export function beginAs(
  role: 'strongroom_system' | 'strongroom_portal' | 'strongroom_sealer' | 'strongroom_worker',
): string {
  return `begin isolation level read committed; set local role ${role}`;
}

/** Returns SQL that sets the time limit. It is sent together with the beginning of the transaction. */
export function toLimit(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `; set local statement_timeout = ${milliseconds}`;
}

const attemptsMax = 3;

/** Retries work that PostgreSQL aborted and rolled back in favour of another transaction. */
export async function retryLostRaces<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isLostRace(error) || attempt === attemptsMax) throw error;
    }
  }
}

/** Returns the name that a statement is prepared under. Traces never contain its text. */
export function toStatementAttributes({ name }: { readonly name?: string }): SpanAttributes {
  return name === undefined ? {} : { 'strongroom.statement': name };
}

/**
 * Traces a statement and its commit, which were sent together. PostgreSQL runs them in order, so the commit is timed
 * from the response to the statement.
 */
export function traceInOrder(
  tracer: Tracer,
  statement: { readonly name?: string },
  { answering, committing }: { readonly answering: Promise<unknown>; readonly committing: Promise<unknown> },
): void {
  const span = tracer.begin('statement', toStatementAttributes(statement));
  if (span === undefined) return;
  endWith(span, answering)
    .then(() => endWith(tracer.begin('commit'), committing))
    // The caller that awaits the statement handles the error.
    .catch(() => undefined);
}
