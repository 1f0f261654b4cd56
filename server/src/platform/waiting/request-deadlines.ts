import { type Deadline, GivenUpError } from './deadline.ts';

const lookEveryMs = 20;

/**
 * The deadlines of all open requests, with one timer. A timer per request would cost more than everything else here.
 */
export class RequestDeadlines {
  readonly #open = new Set<RequestDeadline>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  /** Begins a deadline. `giveUp` is called once if the limit passes before `end` is called. */
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
    // All due deadlines are marked before any of them takes effect.
    for (const deadline of this.#open) {
      if (deadline.endsAt > now) {
        next = Math.min(next, deadline.endsAt);
        continue;
      }
      this.#open.delete(deadline);
      deadline.markOver();
      due.push(deadline);
    }
    // One timer covers deadlines that end at about the same time. A difference of a few milliseconds does not matter.
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
 * The time limit of one request. If a change was sent before the limit, the request may have taken effect. If nothing
 * was sent before the limit, nothing is sent after it, so the response to the caller stays true.
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

  /**
   * The time at which the deadline ends, on the clock of `performance.now()`. It is infinite while the deadline is
   * paused.
   */
  get endsAt(): number {
    return this.#pausedAt === undefined ? this.#endsAt : Number.POSITIVE_INFINITY;
  }

  /**
   * The remaining time. It is infinite when nobody is waiting for the response any more, because the remaining work has
   * its own limits.
   */
  get remainingMs(): number {
    return this.#state === 'open' ? this.endsAt - performance.now() : Number.POSITIVE_INFINITY;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** True if a change was sent that may have been made. */
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

  /** Pauses the deadline while the request waits for another party that has its own limit. */
  pause(): void {
    this.#pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#endsAt += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    if (this.#state === 'open') this.#ends.onResume(this.#endsAt);
  }

  /** Ends the deadline when the response begins. From then on, there is no limit. */
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
