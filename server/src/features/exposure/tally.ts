/** The number of times something happened, with the first and the last time. */
export interface Tally {
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** The tallies of records, grouped by a name that the records share. */
export class Tallies<Line extends object> {
  readonly #lines = new Map<string, Line & Tally>();

  /**
   * Counts a record in the line with this name, and creates the line if there is none. Records may come in any order.
   */
  count(name: readonly unknown[], at: Date, create: () => Line): Line & Tally {
    const key = JSON.stringify(name);
    const known = this.#lines.get(key);
    if (known === undefined) {
      const line = { ...create(), count: 1, firstAt: at, lastAt: at };
      this.#lines.set(key, line);
      return line;
    }
    known.count += 1;
    if (at < known.firstAt) known.firstAt = at;
    if (at > known.lastAt) known.lastAt = at;
    return known;
  }

  get size(): number {
    return this.#lines.size;
  }

  /** Lists the most frequent lines first. */
  list(): (Line & Tally)[] {
    return [...this.#lines.values()].toSorted((a, b) => b.count - a.count || b.lastAt.getTime() - a.lastAt.getTime());
  }
}

/**
 * Counts the names in all lines together. The count must be limited, because a caller can choose any number of hosts
 * and addresses.
 */
export class NameCount {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(names: Set<string>, name: string): void {
    const before = names.size;
    names.add(name);
    this.#total += names.size - before;
  }
}
