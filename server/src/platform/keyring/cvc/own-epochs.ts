import { randomInt } from 'node:crypto';
import { type Epoch, leadMs, lifeMs, sealMs } from './epoch.ts';
import type { EpochStore } from './epoch-store.ts';
import { makeSecret } from './secret-memory.ts';

interface Turn {
  readonly epoch: Epoch;
  readonly sealsUntil: number;
}

/** The epochs that this process creates: the one in use and, shortly before it is replaced, the next one. */
export class OwnEpochs {
  readonly #store: EpochStore;
  #current: Turn | undefined;
  #next: Turn | undefined;

  constructor(store: EpochStore) {
    this.#store = store;
  }

  get current(): Epoch {
    if (this.#current === undefined) throw new Error('No verification code can be sealed before start or after stop.');
    return this.#current.epoch;
  }

  /** The time at which `advance` next has something to do. */
  get nextDueAt(): number {
    if (this.#current === undefined) return Number.NEGATIVE_INFINITY;
    return this.#next === undefined ? this.#current.sealsUntil - leadMs : this.#current.sealsUntil;
  }

  /** Brings the epochs up to date and returns the new ones, which must be sent to the other servers. */
  advance(now: number): Epoch[] {
    const made: Turn[] = [];
    if (this.#current === undefined || now >= this.#current.sealsUntil) {
      // If the process was suspended for minutes, the prepared epoch is useless too, because its own encryption period
      // is over.
      const isReady = this.#next !== undefined && now < this.#next.sealsUntil;
      if (!isReady) made.push(this.#make(now));
      this.#current = isReady ? this.#next : made[0];
      this.#next = undefined;
    }
    const current = this.#current;
    if (current !== undefined && this.#next === undefined && now >= current.sealsUntil - leadMs) {
      this.#next = this.#make(current.sealsUntil);
      made.push(this.#next);
    }
    return made.map(({ epoch }) => epoch);
  }

  stop(): void {
    this.#current = undefined;
    this.#next = undefined;
  }

  #make(beginsAt: number): Turn {
    let id = randomInt(2 ** 32);
    while (this.#store.has(id)) id = randomInt(2 ** 32);
    const epoch = { id, endsAt: beginsAt + lifeMs, secret: makeSecret() };
    this.#store.addOwn(epoch);
    return { epoch, sealsUntil: beginsAt + sealMs };
  }
}
