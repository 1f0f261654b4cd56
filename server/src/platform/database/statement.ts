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
