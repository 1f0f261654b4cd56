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
