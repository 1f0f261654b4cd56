import { DomainError } from '../../core/errors/domain-error.ts';
import { requireWanted } from './deadline.ts';

/**
 * Runs work on the same key one at a time within this process. Otherwise all writers of one token would read the same
 * version, and all but one would have to start again.
 */
export class TurnQueue {
  readonly #lengthMax: number;
  readonly #last = new Map<string, { turn: Promise<unknown>; length: number }>();

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#last.get(key) ?? { turn: Promise.resolve(), length: 0 };
    if (queue.length >= this.#lengthMax) {
      throw new DomainError('overloaded', 'Too many requests are changing the same data. Try again shortly.');
    }
    this.#last.set(key, queue);
    queue.length += 1;
    const turn = queue.turn.then(() => {
      requireWanted();
      return work();
    });
    queue.turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.#last.delete(key);
    }
  }
}
