/** Milliseconds since some moment. */
export type Clock = () => number;

export const processClock: Clock = () => performance.now();

/** How long some work may take. Anyone who does it looks between two steps, so that it always gets on by one. */
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
