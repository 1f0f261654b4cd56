import { LRUCache } from 'lru-cache';
import type { Timers } from './timers.ts';

export const waitMs = 1_000;
/** How long nobody is asked again for what nobody had: the first to want a lost code waits, and no one after. */
const goneMs = 60_000;
const goneMax = 4_096;
const waitingMax = 1_024;

/** Waits a moment for keys that this process does not have: their maker may have started just now. */
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

  /** Returns when the key has arrived or hope is given up: the caller looks again. Many who want one key ask once. */
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

  /** Also for what was destroyed here because its time was over: the others have destroyed it as well. */
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
