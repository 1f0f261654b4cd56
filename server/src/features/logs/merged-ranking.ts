import { mostFirst, type Ranking, sumUp, type ValueCount } from './log-tally-store.ts';

/** Each node names so many values, more than are shown: what is frequent on all of them need not be the most frequent on any. */
export const valuesPerNode = 200;

/**
 * The most frequent values of a field, from what each node says are its own. A node that has named as many as it was asked for may
 * hold others, each no more frequent than the last one named: those of them that could still be among the `limit` most frequent
 * of all are `open`, and have to be counted on every node.
 */
export class MergedRanking {
  readonly #parts: readonly Ranking[];
  readonly #limit: number;
  readonly #named: readonly ValueCount[];
  readonly #unended: readonly { readonly values: ReadonlySet<string>; readonly unnamedMax: number }[];
  readonly open: readonly string[];

  constructor(parts: readonly Ranking[], { limit, perNode }: { readonly limit: number; readonly perNode: number }) {
    this.#parts = parts;
    this.#limit = limit;
    this.#named = mostFirst(sumUp(parts.flatMap(({ values }) => values)));
    this.#unended = parts
      .filter(({ values, isCut }) => isCut || values.length >= perNode)
      .map(({ values }) => ({
        values: new Set(values.map(({ value }) => value)),
        unnamedMax: values.at(-1)?.records ?? 0,
      }));
    this.open = this.#listOpen();
  }

  /** With the numbers of the open values on each node. `isCut` unless the first `limit` are certainly the most frequent ones. */
  finish(counts: readonly ValueCount[]): Ranking {
    const open = new Set(this.open);
    const values = mostFirst([...this.#named.filter(({ value }) => !open.has(value)), ...sumUp(counts)]);
    const isCut = this.#parts.some((part) => part.isCut) || this.#unnamedMax() > this.#leastOf(values);
    return { values, isCut };
  }

  #listOpen(): string[] {
    const enough = this.#leastOf(this.#named);
    return this.#named
      .filter(({ value, records }) => {
        const missing = this.#unended.filter(({ values }) => !values.has(value));
        const more = missing.reduce((sum, { unnamedMax }) => sum + unnamedMax, 0);
        return missing.length > 0 && records + more >= enough;
      })
      .map(({ value }) => value);
  }

  /** How often a value can occur that no node has named. */
  #unnamedMax(): number {
    return this.#unended.reduce((sum, { unnamedMax }) => sum + unnamedMax, 0);
  }

  /** What the last of the values has that are among the `limit` most frequent. */
  #leastOf(values: readonly ValueCount[]): number {
    return values[this.#limit - 1]?.records ?? 0;
  }
}
