import { once } from 'node:events';
import type pg from 'pg';

/**
 * A `COPY … FROM STDIN` statement. Rows are sent to PostgreSQL unchanged, in the frames of its protocol ("COPY
 * Operations").
 */
export class CopyStatement implements pg.Submittable {
  readonly #text: string;
  readonly #started = Promise.withResolvers<pg.Connection>();
  readonly #finished = Promise.withResolvers<void>();

  /** Table and columns must come from the catalog or be plain identifiers, because they become part of SQL text. */
  constructor(table: string, columns: readonly string[]) {
    this.#text = `copy public."${table}" (${columns.map((column) => `"${column}"`).join(', ')}) from stdin`;
    // Callers await only one of the two promises at a time. The other one must not cause an unhandled rejection.
    this.#started.promise.catch(() => undefined);
    this.#finished.promise.catch(() => undefined);
  }

  async write(rows: Buffer): Promise<void> {
    const { stream } = await this.#started.promise;
    const head = Buffer.alloc(5);
    head.write('d', 'latin1');
    head.writeInt32BE(4 + rows.length, 1);
    stream.write(head);
    if (!stream.write(rows)) await Promise.race([once(stream, 'drain'), this.#finished.promise]);
  }

  async end(): Promise<void> {
    const { stream } = await this.#started.promise;
    stream.write(Buffer.from([0x63, 0, 0, 0, 4]));
    await this.#finished.promise;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: pg.Connection): void {
    this.#started.resolve(connection);
  }

  handleCommandComplete(): void {
    this.#finished.resolve();
  }

  handleReadyForQuery(): void {
    this.#finished.resolve();
  }

  handleError(error: Error): void {
    this.#started.reject(error);
    this.#finished.reject(error);
  }
}
