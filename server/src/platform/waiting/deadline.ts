import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../core/errors/domain-error.ts';

/** The time limit of what is under way, and what may still be begun under it. */
export interface Deadline {
  /** Infinite for work that is not to be cut short. */
  readonly remainingMs: number;
  /** Whether nobody waits for the work any more and nothing of it has been begun, so that nothing of it may be. */
  readonly isGivenUp: boolean;
  /** Called when it is given up, for what waits in a queue; what has left it by then ignores the call. */
  onGivenUp(listener: () => void): void;
  /**
   * Called in the turn of the event loop in which a change is sent: from then on, the work may have happened. Throws if it must
   * not be sent any more.
   */
  beginChange(): void;
  /** The change that was begun was certainly not made. */
  undoChange(): void;
}

/** Whoever asked has been told that nothing was changed, so nothing is. */
export class GivenUpError extends DomainError {
  constructor() {
    super('overloaded', 'The request was not handled within its time limit. Try again shortly.');
    this.name = 'GivenUpError';
  }
}

/*
 * Carried by the asynchronous context, as spans are: a wait is deep inside a request, and nothing in between has to know. In
 * Node.js 24 a context is a field that V8 hands on with each promise in any case.
 */
const underWay = new AsyncLocalStorage<Deadline | undefined>();

/** Ends work that nobody waits for any more. */
export function requireWanted(): void {
  if (underWay.getStore()?.isGivenUp === true) throw new GivenUpError();
}

/** Undefined where nothing limits what is under way, as in a job. */
export function currentDeadline(): Deadline | undefined {
  return underWay.getStore();
}

export function withDeadline<T>(deadline: Deadline | undefined, work: () => T): T {
  return underWay.run(deadline, work);
}

/** For work that others share, or that has to be done whatever becomes of the request that began it. It has its own limits. */
export function withoutDeadline<T>(work: () => T): T {
  return underWay.getStore() === undefined ? work() : underWay.run(undefined, work);
}

/** How long something may wait that would wait for so long. */
export function withinDeadline(milliseconds: number): number {
  return Math.max(0, Math.min(milliseconds, underWay.getStore()?.remainingMs ?? milliseconds));
}

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
