import { type Deadline, GivenUpError } from './deadline.ts';

const lookEveryMs = 20;

/** Where the requests that are under way are kept, by one timer for all: one each would cost more than all the rest of it. */
export class RequestDeadlines {
  readonly #open = new Set<RequestDeadline>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  /** `giveUp` is called once if the limit passes before `end` is called. */
  begin(limitMs: number, giveUp: () => void): RequestDeadline {
    const deadline = new RequestDeadline(limitMs, {
      giveUp,
      onResume: (endsAt) => this.#wakeBy(endsAt),
      onEnd: (ended) => this.#open.delete(ended),
    });
    this.#open.add(deadline);
    this.#wakeBy(deadline.endsAt);
    return deadline;
  }

  #wakeBy(endsAt: number): void {
    if (endsAt >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = endsAt;
    this.#timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(endsAt - performance.now()))).unref();
  }

  #look(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const due: RequestDeadline[] = [];
    let next = Number.POSITIVE_INFINITY;
    // All are over before anything goes on because one is.
    for (const deadline of this.#open) {
      if (deadline.endsAt > now) {
        next = Math.min(next, deadline.endsAt);
        continue;
      }
      this.#open.delete(deadline);
      deadline.markOver();
      due.push(deadline);
    }
    // One timer for those that end at about the same time: nobody notices a few milliseconds.
    if (next < Number.POSITIVE_INFINITY) this.#wakeBy(Math.max(next, now + lookEveryMs));
    for (const deadline of due) deadline.tell();
  }
}

interface Ends {
  readonly giveUp: () => void;
  readonly onResume: (endsAt: number) => void;
  readonly onEnd: (deadline: RequestDeadline) => void;
}

/**
 * The time limit of one request. Whether it may have happened is decided by what was sent before the limit: nothing is sent after it
 * for a request of which nothing was sent before, so what its caller is told stays true.
 */
export class RequestDeadline implements Deadline {
  readonly #ends: Ends;
  #endsAt: number;
  #state: 'open' | 'answered' | 'over' = 'open';
  #pausedAt: number | undefined;
  #changes = 0;
  #listeners: (() => void)[] | undefined;

  constructor(limitMs: number, ends: Ends) {
    this.#ends = ends;
    this.#endsAt = performance.now() + limitMs;
  }

  /** By the clock of `performance.now()`; infinite while it is paused. */
  get endsAt(): number {
    return this.#pausedAt === undefined ? this.#endsAt : Number.POSITIVE_INFINITY;
  }

  /** Infinite once nobody waits for the response: what goes on then goes on by its own limits. */
  get remainingMs(): number {
    return this.#state === 'open' ? this.endsAt - performance.now() : Number.POSITIVE_INFINITY;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Whether a change was sent that may have been made. */
  get mayHaveChanged(): boolean {
    return this.#changes > 0;
  }

  get isGivenUp(): boolean {
    return this.isOver && this.#changes === 0;
  }

  beginChange(): void {
    if (this.isGivenUp) throw new GivenUpError();
    this.#changes += 1;
  }

  undoChange(): void {
    this.#changes -= 1;
  }

  onGivenUp(listener: () => void): void {
    if (this.#state !== 'open') return;
    (this.#listeners ??= []).push(listener);
  }

  /** The time does not count in which somebody else is waited for who has a limit of their own. */
  pause(): void {
    this.#pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#endsAt += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    if (this.#state === 'open') this.#ends.onResume(this.#endsAt);
  }

  /** The response begins: there is no limit from here on. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'answered';
    this.#listeners = undefined;
    this.#ends.onEnd(this);
  }

  markOver(): void {
    this.#state = 'over';
  }

  tell(): void {
    this.#ends.giveUp();
    if (this.isGivenUp) for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
  }
}
