import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../core/errors/domain-error.ts';

/** The time limit of the current work. It also determines whether changes may still begin. */
export interface Deadline {
  /** The remaining time. It is infinite for work that must not be cut short. */
  readonly remainingMs: number;
  /** True if nobody is waiting for the work any more and no change has begun. In that case, no change may begin. */
  readonly isGivenUp: boolean;
  /**
   * Calls the listener when the work is given up, for work that waits in a queue. Work that has left the queue by then
   * ignores the call.
   */
  onGivenUp(listener: () => void): void;
  /**
   * Marks the beginning of a change. It is called in the turn of the event loop in which a change is sent, because from
   * then on the change may have been made. Throws if the change must not be sent any more.
   */
  beginChange(): void;
  /** Records that the change was certainly not made. */
  undoChange(): void;
}

/**
 * The error for work that was given up. Its caller has been told that nothing was changed, so no change may be made.
 */
export class GivenUpError extends DomainError {
  constructor() {
    super('overloaded', 'The request was not handled within its time limit. Try again shortly.');
    this.name = 'GivenUpError';
  }
}

/*
 * The asynchronous context carries the deadline, like it carries spans. Waits happen deep inside a request, and the
 * code in between does not have to know about deadlines. In Node.js 24, the context is a field that V8 passes on with
 * each promise in any case.
 */
const underWay = new AsyncLocalStorage<Deadline | undefined>();

/** Throws if nobody is waiting for the current work any more. */
export function requireWanted(): void {
  if (underWay.getStore()?.isGivenUp === true) throw new GivenUpError();
}

/** Returns the deadline of the current work, or undefined if there is none, for example in a job. */
export function currentDeadline(): Deadline | undefined {
  return underWay.getStore();
}

export function withDeadline<T>(deadline: Deadline | undefined, work: () => T): T {
  return underWay.run(deadline, work);
}

/**
 * Runs work without the current deadline. This is for work that several requests share, or that must be completed even
 * if its request is given up. It has its own limits.
 */
export function withoutDeadline<T>(work: () => T): T {
  return underWay.getStore() === undefined ? work() : underWay.run(undefined, work);
}

/** Limits a wait of this many milliseconds to the time that remains before the deadline. */
export function withinDeadline(milliseconds: number): number {
  return Math.max(0, Math.min(milliseconds, underWay.getStore()?.remainingMs ?? milliseconds));
}

/** The deadline of work that is done for several requests at once. It ends with the latest of their deadlines. */
export class BatchDeadline implements Deadline {
  readonly #deadlines: readonly (Deadline | undefined)[];
  readonly #isChange: boolean;

  /**
   * A deadline is undefined if its request has no limit. `isChange` is true if the work writes what the requests ask
   * for.
   */
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

  /**
   * Begins the change for all requests or for none. If it throws, the batch is sent again without the requests that
   * were given up.
   */
  beginChange(): void {
    if (this.#deadlines.some((deadline) => deadline?.isGivenUp === true)) throw new GivenUpError();
    if (this.#isChange) for (const deadline of this.#deadlines) deadline?.beginChange();
  }

  undoChange(): void {
    if (this.#isChange) for (const deadline of this.#deadlines) deadline?.undoChange();
  }
}
