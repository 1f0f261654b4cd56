/**
 * The PostgreSQL server and database that connections of this process reach. All pools and listeners with the same address share one: if a
 * connection of any of them reaches another server, as after a failover, the others leave the previous one, which may still respond.
 */
export class ConnectionOrigin {
  #origin: string | undefined;
  #generation = 0;
  readonly #listeners = new Set<() => void>();

  /** Grows whenever a connection reaches another origin than the one before it. */
  get generation(): number {
    return this.#generation;
  }

  /** Called when the generation has changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Notes the origin of a connection that was just opened, and returns the generation that the connection belongs to. */
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

/** The origins of a process, one for each address. Logins may differ: they lead to the same server. */
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
