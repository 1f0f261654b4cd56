import type pg from 'pg';
import type { ConnectionOrigin } from './connection-origin.ts';

interface Opened {
  readonly silences: number;
  readonly generation: number;
}

/**
 * Tracks which connections of a pool are still usable. A connection is current if it was opened after the database last
 * stopped responding, and leads to the server that the newest connections reached.
 */
export class ConnectionGenerations {
  readonly #origin: ConnectionOrigin;
  #silences = 0;
  readonly #opened = new WeakMap<pg.ClientBase, Opened>();

  constructor(origin: ConnectionOrigin) {
    this.#origin = origin;
  }

  /** Adds a connection that was just opened. */
  add(client: pg.ClientBase, origin: string): void {
    this.#opened.set(client, { silences: this.#silences, generation: this.#origin.note(origin) });
  }

  /**
   * Marks every connection that was opened before this one stopped responding as stale. If this connection was already
   * stale, its failure says nothing about newer ones.
   */
  endWith(client: pg.ClientBase): void {
    if (this.isCurrent(client)) this.#silences += 1;
  }

  isCurrent(client: pg.ClientBase): boolean {
    const opened = this.#opened.get(client);
    return opened?.silences === this.#silences && opened.generation === this.#origin.generation;
  }
}
