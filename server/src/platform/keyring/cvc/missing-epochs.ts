import { LRUCache } from 'lru-cache';
import type { Timers } from './timers.ts';

export const waitMs = 1_000;
/**
 * The time for which a key that no server had is not requested again, so that only the first request for a lost code
 * has to wait.
 */
const goneMs = 60_000;
const goneMax = 4_096;
const waitingMax = 1_024;

interface MissingEpochsParts {
  readonly ask: (id: number) => void;
  readonly now: () => number;
  readonly timers: Timers;
}

/** Waits briefly for keys that this process does not have, because their creator may have just started. */
export class MissingEpochs {
  readonly #parts: MissingEpochsParts;
  readonly #gone = new LRUCache<number, number>({ max: goneMax });
  readonly #waiting = new Map<number, { readonly done: Promise<void>; readonly end: () => void }>();
  #isStopped = false;

  constructor(parts: MissingEpochsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the key has arrived or the wait is over. The caller then checks again. Concurrent callers that wait
   * for the same key share a request.
   */
  async wait(id: number): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting.done;
    if (this.#isStopped || this.#isGone(id) || this.#waiting.size >= waitingMax) return;

    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(waitMs, () => {
      this.markGone(id);
      this.arrived(id);
    });
    const end = () => {
      cancel();
      resolve();
    };
    this.#waiting.set(id, { done: promise, end });
    this.#parts.ask(id);
    return promise;
  }

  arrived(id: number): void {
    this.#waiting.get(id)?.end();
    this.#waiting.delete(id);
  }

  /** Marks a key as gone. This includes keys that expired here, because the other servers have destroyed them too. */
  markGone(id: number): void {
    this.#gone.set(id, this.#parts.now() + goneMs);
  }

  stop(): void {
    this.#isStopped = true;
    for (const id of this.#waiting.keys()) this.arrived(id);
  }

  #isGone(id: number): boolean {
    return (this.#gone.get(id) ?? Number.NEGATIVE_INFINITY) > this.#parts.now();
  }
}
