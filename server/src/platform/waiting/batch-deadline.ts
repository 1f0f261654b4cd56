import { type Deadline, GivenUpError } from './deadline.ts';

/** Of work that is done for several requests at once: it may take as long as the last of them. */
export class BatchDeadline implements Deadline {
  readonly #deadlines: readonly (Deadline | undefined)[];
  readonly #isChange: boolean;

  /** Undefined for what has no limit. `isChange`: whether what it writes is what the requests ask for. */
  constructor(deadlines: readonly (Deadline | undefined)[], isChange: boolean) {
    this.#deadlines = deadlines;
    this.#isChange = isChange;
  }

  get remainingMs(): number {
    return Math.max(...this.#deadlines.map((deadline) => deadline?.remainingMs ?? Number.POSITIVE_INFINITY));
  }

  get isGivenUp(): boolean {
    return this.#deadlines.every((deadline) => deadline?.isGivenUp === true);
  }

  onGivenUp(listener: () => void): void {
    for (const deadline of this.#deadlines)
      deadline?.onGivenUp(() => {
        if (this.isGivenUp) listener();
      });
  }

  /** All of them or none: what the others get is sent again without those that were given up. */
  beginChange(): void {
    if (this.#deadlines.some((deadline) => deadline?.isGivenUp === true)) throw new GivenUpError();
    if (this.#isChange) for (const deadline of this.#deadlines) deadline?.beginChange();
  }

  undoChange(): void {
    if (this.#isChange) for (const deadline of this.#deadlines) deadline?.undoChange();
  }
}
