import type { TenantId } from '../../core/identity/ids.ts';
import type pg from 'pg';
import { toDatabaseError } from './database-error.ts';

export type SqlValue = string | number | boolean | null | Date | Buffer | readonly SqlValue[];
/** Rows are typed by the store that wrote the query; the types are next to their SQL. */
export type SqlRow = object;

/** A named statement is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** Overrides of the defaults for a transaction. */
export interface TransactionOptions {
  /** A shorter statement timeout than that of the connection. */
  readonly statementTimeoutMs?: number;
}

/** What stores are built on: it exists only inside `forTenant`, `forSystem` and the others. */
export interface Transaction {
  query<Row extends SqlRow>(statement: Statement): Promise<Row[]>;
}

/** The server's own timeout fires first; after this much more, the server is taken not to notice: a dead network. */
export const silenceMs = 2_000;

/** `limitMs`: what it may take, where that is less than the limit of the connection. */
export async function send<Row extends SqlRow>(
  client: pg.ClientBase,
  statement: Statement,
  limitMs?: number,
): Promise<Row[]> {
  try {
    const { name, text, values } = statement;
    const result = await client.query({
      text,
      ...(name === undefined ? {} : { name }),
      ...(values === undefined ? {} : { values: [...values] }),
      ...(limitMs === undefined ? {} : { query_timeout: limitMs + silenceMs }),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement says what its rows are.
    return result.rows as Row[];
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** The functions that write are those of the migrations that a server calls by a select. */
const changes = /\b(?:insert into|update|delete from|enqueue_job|join_user|close_older_keys)\b/i;
const byName = new Map<string, boolean>();

/** Whether it matters whether the statement was committed. One that only locks rows counts as well. */
export function isChanging({ name, text }: { readonly name?: string; readonly text: string }): boolean {
  // A prepared statement has one text: looked at once, since the longest take longer to search than to send.
  if (name === undefined) return changes.test(text);
  const known = byName.get(name);
  if (known !== undefined) return known;
  const isChange = changes.test(text);
  byName.set(name, isChange);
  return isChange;
}

/** The id becomes part of SQL text here, so it is checked again at the last moment. */
export function beginFor(tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `begin isolation level read committed; select set_config('app.tenant_id', '${tenantId}', true)`;
}

export function beginAs(
  role: 'strongroom_system' | 'strongroom_portal' | 'strongroom_sealer' | 'strongroom_worker',
): string {
  return `begin isolation level read committed; set local role ${role}`;
}

/** To be sent with the beginning of a transaction. */
export function toLimit(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `; set local statement_timeout = ${milliseconds}`;
}
