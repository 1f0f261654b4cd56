/** How often something happened, and when for the first and the last time. */
export interface Tally {
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** Lines by what they have in common, each with its tally. */
export class Tallies<Line extends object> {
  readonly #lines = new Map<string, Line & Tally>();

  /** The line that the name stands for; `create` makes it if there is none. Records may come in any order. */
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

  /** What was done most often comes first. */
  list(): (Line & Tally)[] {
    return [...this.#lines.values()].toSorted((a, b) => b.count - a.count || b.lastAt.getTime() - a.lastAt.getTime());
  }
}

/** Names that a line lists, all of them counted together: a caller chooses hosts and addresses, as many as it likes. */
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
