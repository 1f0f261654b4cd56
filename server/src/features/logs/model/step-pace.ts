import type { Clock } from '../../../platform/waiting/time-budget.ts';

/** A step should take no longer than this: a search looks at the time between two of them. */
const slowMs = 200;
const quickMs = 50;

/** How much one statement looks at. Nobody knows how many records a minute holds, so it follows from how long the last one took. */
export class StepPace {
  readonly #clock: Clock;
  readonly #sizeMax: number;
  #size: number;

  constructor(clock: Clock, { first, max }: { readonly first: number; readonly max: number }) {
    this.#clock = clock;
    this.#size = first;
    this.#sizeMax = max;
  }

  get size(): number {
    return this.#size;
  }

  /** To be called before a step; what it returns, after it. */
  begin(): () => void {
    const startedAt = this.#clock();
    return () => {
      const took = this.#clock() - startedAt;
      if (took > slowMs) this.#size = Math.max(1, Math.floor(this.#size / 2));
      else if (took < quickMs) this.#size = Math.min(this.#sizeMax, this.#size * 2);
    };
  }
}
