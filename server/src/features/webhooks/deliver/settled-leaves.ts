/**
 * Tracks which leaves of a section are settled. The position of an endpoint is the first leaf that is not, so that
 * nothing is skipped if the process ends.
 */
export class SettledLeaves {
  readonly #open: readonly number[];
  readonly #settled = new Set<number>();
  readonly #end: number;
  #next = 0;

  /** `open` are the numbers of the leaves that have to be settled, in order. All others up to `end` are settled. */
  constructor(open: readonly number[], end: number) {
    this.#open = open;
    this.#end = end;
  }

  settle(number: number): void {
    this.#settled.add(number);
  }

  get position(): number {
    for (let leaf = this.#open[this.#next]; leaf !== undefined; leaf = this.#open[this.#next]) {
      if (!this.#settled.delete(leaf)) return leaf;
      this.#next += 1;
    }
    return this.#end;
  }
}
