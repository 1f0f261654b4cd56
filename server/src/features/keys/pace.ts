import { setTimeout } from 'node:timers/promises';

/** Keeps work at a rate. Time that was lost is not made up for: what comes after a pause is no faster. */
export class Pace {
  readonly #msPerItem: number;
  #freeAt = performance.now();

  constructor(itemsPerSecond: number) {
    this.#msPerItem = 1_000 / itemsPerSecond;
  }

  /** Waits until the items before these have had their time. */
  async wait(items: number): Promise<void> {
    const now = performance.now();
    const waitMs = this.#freeAt - now;
    this.#freeAt = Math.max(this.#freeAt, now) + items * this.#msPerItem;
    if (waitMs > 0) await setTimeout(waitMs);
  }
}
