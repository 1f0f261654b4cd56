import { LRUCache } from 'lru-cache';
import type { Timers } from './timers.ts';

export const waitMs = 1_000;
/** How long a key that nobody had is not requested again: only the first request for a lost code waits. */
const goneMs = 60_000;
const goneMax = 4_096;
const waitingMax = 1_024;

/** Waits briefly for keys that this process does not have: their creator may have just started. */
export class MissingEpochs {
  readonly #ask: (id: number) => void;
  readonly #now: () => number;
  readonly #timers: Timers;
  readonly #gone = new LRUCache<number, number>({ max: goneMax });
  readonly #waiting = new Map<number, { readonly done: Promise<void>; readonly end: () => void }>();
  #isStopped = false;

  constructor(parts: { ask: (id: number) => void; now: () => number; timers: Timers }) {
    this.#ask = parts.ask;
    this.#now = parts.now;
    this.#timers = parts.timers;
  }

  /** Returns when the key has arrived or the wait is over; the caller then checks again. Concurrent waits for one key share a request. */
  async wait(id: number): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting.done;
    if (this.#isStopped || this.#isGone(id) || this.#waiting.size >= waitingMax) return;

    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.after(waitMs, () => {
      this.markGone(id);
      this.arrived(id);
    });
    const end = () => {
      cancel();
      resolve();
    };
    this.#waiting.set(id, { done: promise, end });
    this.#ask(id);
    return promise;
  }

  arrived(id: number): void {
    this.#waiting.get(id)?.end();
    this.#waiting.delete(id);
  }

  /** This includes keys that expired here: the others have destroyed them too. */
  markGone(id: number): void {
    this.#gone.set(id, this.#now() + goneMs);
  }

  stop(): void {
    this.#isStopped = true;
    for (const id of this.#waiting.keys()) this.arrived(id);
  }

  #isGone(id: number): boolean {
    return (this.#gone.get(id) ?? Number.NEGATIVE_INFINITY) > this.#now();
  }
}
