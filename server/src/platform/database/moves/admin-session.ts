import pg from 'pg';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { withoutApplicationName } from '../connections/connection-address.ts';
import { unreachable } from '../connections/outage.ts';
import { requireOwnSession } from '../connections/session-check.ts';
import type { SqlRow, SqlValue } from '../statement.ts';

/** The text of a row must be the same in both databases, whatever their defaults are. */
const sameText = `set timezone to 'UTC'; set datestyle to 'ISO, YMD'; set intervalstyle to 'iso_8601';
  set bytea_output to 'hex'; set extra_float_digits to 1; set search_path to public; set statement_timeout to 0;
  set max_parallel_workers_per_gather to 0`;

/** A session of a superuser, who sees the rows of every tenant. Only moving a tenant needs one. */
export class AdminSession {
  readonly #client: pg.Client;

  static async open(url: string, variable: string): Promise<AdminSession> {
    const client = new pg.Client({
      connectionString: withoutApplicationName(url),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'strongroom move',
    });
    client.on('error', () => undefined);
    await client.connect().catch((error: unknown) => {
      throw unreachable(error, variable);
    });
    await requireOwnSession(client);
    await client.query(sameText);
    return new AdminSession(client);
  }

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  async query<Row extends SqlRow>(text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return (await this.#client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Returns the only row of a statement that always returns one. */
  async one<Row extends SqlRow>(text: string, values: readonly SqlValue[] = []): Promise<Row> {
    const [row] = await this.query<Row>(text, values);
    if (row === undefined) throw new Error('A statement returned no row.');
    return row;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.query('begin isolation level read committed');
    try {
      const result = await work();
      await this.query('commit');
      return result;
    } catch (error) {
      await this.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}

/** PostgreSQL's details quote values. Its codes and the names of constraints do not. */
function toFailure(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) {
    return new OperatorError(
      'The connection to PostgreSQL was lost. Run the command again: it goes on where it stopped.',
    );
  }
  return new AdminStatementError(error.code, [error.routine, error.constraint].filter(Boolean).join(', '));
}

/** A statement that PostgreSQL refused. */
export class AdminStatementError extends OperatorError {
  readonly sqlState: string;

  constructor(sqlState: string, place: string) {
    super(`PostgreSQL refused a statement (SQLSTATE ${sqlState}, ${place}). Its own log has the details.`);
    this.name = 'AdminStatementError';
    this.sqlState = sqlState;
  }
}
