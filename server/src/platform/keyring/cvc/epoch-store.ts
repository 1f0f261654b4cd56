import type { Epoch } from './epoch.ts';

/** Enough for 64 servers with 13 live epochs and one prepared epoch each. */
export const foreignEpochsMax = 64 * 14;

interface Kept extends Epoch {
  readonly isOwn: boolean;
}

/**
 * Stores every epoch that this process can open. It owns the secrets and wipes secrets that are removed or not
 * accepted.
 */
export class EpochStore {
  readonly #epochs = new Map<number, Kept>();
  #foreignCount = 0;

  get size(): number {
    return this.#epochs.size;
  }

  /** The time at which the next epoch has to be destroyed. */
  get nextEndAt(): number {
    return this.#soonest(() => true)?.endsAt ?? Number.POSITIVE_INFINITY;
  }

  has(id: number): boolean {
    return this.#epochs.has(id);
  }

  /** Finds an epoch. One that has ended is not found, even if the timer that destroys it is late. */
  find(id: number, now: number): Epoch | undefined {
    const epoch = this.#epochs.get(id);
    return epoch !== undefined && now < epoch.endsAt ? epoch : undefined;
  }

  list(now: number): Epoch[] {
    return [...this.#epochs.values()].filter(({ endsAt }) => now < endsAt);
  }

  listOwn(now: number): Epoch[] {
    return [...this.#epochs.values()].filter(({ endsAt, isOwn }) => isOwn && now < endsAt);
  }

  addOwn(epoch: Epoch): void {
    if (this.#epochs.has(epoch.id)) throw new Error('An epoch id was used twice.');
    this.#epochs.set(epoch.id, { ...epoch, isOwn: true });
  }

  /**
   * Adds an epoch of another server. The first epoch with an id is kept, so a known epoch cannot be replaced or
   * prolonged from outside.
   */
  addForeign(epoch: Epoch): void {
    if (this.#epochs.has(epoch.id)) {
      epoch.secret.fill(0);
      return;
    }
    if (this.#foreignCount >= foreignEpochsMax) this.#makeRoom();
    this.#epochs.set(epoch.id, { ...epoch, isOwn: false });
    this.#foreignCount += 1;
  }

  /** Destroys the epochs that have ended and returns their ids. */
  destroyEnded(now: number): number[] {
    const ended = [...this.#epochs.values()].filter(({ endsAt }) => endsAt <= now);
    for (const epoch of ended) this.#destroy(epoch);
    return ended.map(({ id }) => id);
  }

  destroyAll(): void {
    for (const epoch of this.#epochs.values()) this.#destroy(epoch);
  }

  /**
   * Drops the foreign epoch that would end next, which is the smallest loss. The process's own epochs are never
   * dropped.
   */
  #makeRoom(): void {
    const epoch = this.#soonest(({ isOwn }) => !isOwn);
    if (epoch !== undefined) this.#destroy(epoch);
  }

  #soonest(isMeant: (epoch: Kept) => boolean): Kept | undefined {
    let soonest: Kept | undefined;
    for (const epoch of this.#epochs.values()) {
      if (isMeant(epoch) && (soonest === undefined || epoch.endsAt < soonest.endsAt)) soonest = epoch;
    }
    return soonest;
  }

  #destroy(epoch: Kept): void {
    epoch.secret.fill(0);
    this.#epochs.delete(epoch.id);
    if (!epoch.isOwn) this.#foreignCount -= 1;
  }
}
