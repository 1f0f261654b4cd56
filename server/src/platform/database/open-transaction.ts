import type pg from 'pg';
import type { Tracer } from '../telemetry/tracer.ts';
import { isChanging, send, type SqlRow, type Statement, toStatementAttributes, type Transaction } from './statement.ts';
import { isAborted } from './database-error.ts';

/**
 * A transaction that rejects statements after it has ended, because the connection may then belong to another tenant.
 */
export class OpenTransaction implements Transaction {
  readonly #client: pg.ClientBase;
  readonly #tracer: Tracer;
  readonly #limitMs: number | undefined;
  #isOver = false;
  #isChange = false;
  #failure: unknown;

  constructor(client: pg.ClientBase, tracer: Tracer, limitMs: number | undefined) {
    this.#client = client;
    this.#tracer = tracer;
    this.#limitMs = limitMs;
  }

  /** True if any statement sent so far writes something that the commit would make durable. */
  get isChange(): boolean {
    return this.#isChange;
  }

  async query<Row extends SqlRow>(statement: Statement): Promise<Row[]> {
    if (this.#isOver) throw new Error('A statement was sent after its transaction had ended.');
    this.#isChange ||= isChanging(statement);
    try {
      return await this.#tracer.span('statement', toStatementAttributes(statement), () =>
        send<Row>(this.#client, statement, this.#limitMs),
      );
    } catch (error) {
      this.#failure ??= error;
      // This statement was sent before it was known that another had failed. The caller gets the error of the first
      // failure.
      throw isAborted(error) ? this.#failure : error;
    }
  }

  end(): void {
    this.#isOver = true;
  }
}
