import { setTimeout } from 'node:timers/promises';

/** Limits work to a rate. Lost time is not made up, so work is not faster after a pause. */
export class Pace {
  readonly #msPerItem: number;
  #freeAt = performance.now();

  constructor(itemsPerSecond: number) {
    this.#msPerItem = 1_000 / itemsPerSecond;
  }

  /** Waits until the time allotted to earlier items has passed. */
  async wait(items: number): Promise<void> {
    const now = performance.now();
    const waitMs = this.#freeAt - now;
    this.#freeAt = Math.max(this.#freeAt, now) + items * this.#msPerItem;
    if (waitMs > 0) await setTimeout(waitMs);
  }
}
