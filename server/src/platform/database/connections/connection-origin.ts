import type pg from 'pg';

/**
 * The PostgreSQL server and database that this process is connected to. All pools and listeners with the same address
 * share one origin. If a connection of any of them reaches another server, for example after a failover, the others
 * disconnect from the previous server, even if it still responds.
 */
export class ConnectionOrigin {
  #origin: string | undefined;
  #generation = 0;
  readonly #listeners = new Set<() => void>();

  /** Increases whenever a connection reaches a different origin than the previous connection. */
  get generation(): number {
    return this.#generation;
  }

  /** Registers a listener that is called when the generation has changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Records the origin of a connection that was just opened. Returns the generation that the connection belongs to. */
  note(origin: string): number {
    if (origin === this.#origin) return this.#generation;
    const isFirst = this.#origin === undefined;
    this.#origin = origin;
    if (!isFirst) {
      this.#generation += 1;
      for (const listener of this.#listeners) listener();
    }
    return this.#generation;
  }
}

/**
 * The origins of a process, one for each address. Addresses that differ only in their login share an origin, because
 * they lead to the same server.
 */
export class ConnectionOrigins {
  readonly #origins = new Map<string, ConnectionOrigin>();

  of(url: string): ConnectionOrigin {
    const { host, pathname } = new URL(url);
    const address = `${host}${pathname}`;
    const known = this.#origins.get(address) ?? new ConnectionOrigin();
    this.#origins.set(address, known);
    return known;
  }
}

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
