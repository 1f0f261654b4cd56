import type pg from 'pg';
import type { ConnectionOrigin } from './connection-origin.ts';

interface Opened {
  readonly silences: number;
  readonly generation: number;
}

/**
 * Tells which connections of a pool are still worth using: those that were opened since the database last stopped responding, and that lead
 * to the server that the newest connections reached.
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

  /** Gives up everything that was opened before a connection stopped responding. An old one says nothing about newer ones. */
  endWith(client: pg.ClientBase): void {
    if (this.isCurrent(client)) this.#silences += 1;
  }

  isCurrent(client: pg.ClientBase): boolean {
    const opened = this.#opened.get(client);
    return opened?.silences === this.#silences && opened.generation === this.#origin.generation;
  }
}
