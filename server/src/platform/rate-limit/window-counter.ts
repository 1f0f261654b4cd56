export interface Count {
  readonly isWithin: boolean;
  /** The time until the window ends, or the block if the limit was exceeded. */
  readonly msLeft: number;
}

interface Entry {
  count: number;
  isBlocked: boolean;
  endsAt: number;
}

/**
 * Counts in this process. A window starts with its first request. The first request past the limit starts a block. When
 * the block ends, counting starts again. Entries are kept in the order in which they end, so that expired ones are
 * always at the front and no operation iterates over all entries.
 */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #blockMs: number;
  readonly #clientsMax: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(options: { windowMs: number; blockMs: number; clientsMax: number; now: () => number }) {
    this.#windowMs = options.windowMs;
    this.#blockMs = options.blockMs;
    this.#clientsMax = options.clientsMax;
    this.#now = options.now;
  }

  /** Returns how long the client is still blocked, or 0 if it is not. */
  blockedMs(client: string): number {
    const entry = this.#entries.get(client);
    return entry?.isBlocked === true ? Math.max(0, entry.endsAt - this.#now()) : 0;
  }

  /** Counts one event. The limit may differ between calls. */
  add(client: string, limit: number): Count {
    const now = this.#now();
    const entry = this.#entries.get(client);
    if (entry === undefined || entry.endsAt <= now) {
      this.#put(client, { count: 1, isBlocked: limit < 1, endsAt: now + (limit < 1 ? this.#blockMs : this.#windowMs) });
      return { isWithin: limit >= 1, msLeft: limit < 1 ? this.#blockMs : this.#windowMs };
    }
    if (entry.isBlocked) return { isWithin: false, msLeft: entry.endsAt - now };
    entry.count += 1;
    if (entry.count <= limit) return { isWithin: true, msLeft: entry.endsAt - now };
    this.block(client, this.#blockMs);
    return { isWithin: false, msLeft: this.#blockMs };
  }

  /** Stores a block that was imposed elsewhere. */
  block(client: string, ms: number): void {
    this.#put(client, { count: 0, isBlocked: true, endsAt: this.#now() + ms });
  }

  get size(): number {
    return this.#entries.size;
  }

  #put(client: string, entry: Entry): void {
    this.#entries.delete(client);
    this.#entries.set(client, entry);
    const now = this.#now();
    for (const [oldest, { endsAt }] of this.#entries) {
      // If there are too many entries, the one that would end next is dropped early, because bounded memory matters
      // more than an exact count.
      if (endsAt > now && this.#entries.size <= this.#clientsMax) break;
      this.#entries.delete(oldest);
    }
  }
}
