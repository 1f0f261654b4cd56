import type { Clock } from '../../../platform/waiting/time-budget.ts';

/** The maximum time of a step, because a search checks the time only between two steps. */
const slowMs = 200;
const quickMs = 50;

/**
 * Adjusts how much one statement reads. The number of records in a minute is unknown, so the size is derived from the
 * duration of the last statement.
 */
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

  /** Starts a step. The returned function must be called after the step. */
  begin(): () => void {
    const startedAt = this.#clock();
    return () => {
      const took = this.#clock() - startedAt;
      if (took > slowMs) this.#size = Math.max(1, Math.floor(this.#size / 2));
      else if (took < quickMs) this.#size = Math.min(this.#sizeMax, this.#size * 2);
    };
  }
}
