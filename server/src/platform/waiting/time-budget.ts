/** Returns the milliseconds since an arbitrary fixed moment. */
export type Clock = () => number;

export const processClock: Clock = () => performance.now();

/**
 * The time that some work may take. The work checks it between steps, so that it always completes at least one step.
 */
export class TimeBudget {
  readonly clock: Clock;
  readonly #end: number;

  constructor(milliseconds: number, clock: Clock = processClock) {
    this.clock = clock;
    this.#end = clock() + milliseconds;
  }

  get isSpent(): boolean {
    return this.clock() >= this.#end;
  }
}
