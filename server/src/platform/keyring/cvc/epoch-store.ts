import type { Epoch } from './epoch.ts';

/** 64 servers with 13 epochs alive and one prepared. */
export const foreignEpochsMax = 64 * 14;

interface Kept extends Epoch {
  readonly isOwn: boolean;
}

/** Every epoch that this process can open. It owns the secrets: whatever is removed or not accepted is wiped. */
export class EpochStore {
  readonly #epochs = new Map<number, Kept>();
  #foreignCount = 0;

  get size(): number {
    return this.#epochs.size;
  }

  /** When the next epoch has to be destroyed. */
  get nextEndAt(): number {
    return this.#soonest(() => true)?.endsAt ?? Number.POSITIVE_INFINITY;
  }

  has(id: number): boolean {
    return this.#epochs.has(id);
  }

  /** An epoch that has ended is not found, even while the timer that destroys it is late. */
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

  /** The first epoch with an id stays: a known epoch cannot be replaced or prolonged from outside. */
  addForeign(epoch: Epoch): void {
    if (this.#epochs.has(epoch.id)) {
      epoch.secret.fill(0);
      return;
    }
    if (this.#foreignCount >= foreignEpochsMax) this.#makeRoom();
    this.#epochs.set(epoch.id, { ...epoch, isOwn: false });
    this.#foreignCount += 1;
  }

  /** Returns the ids of the destroyed epochs. */
  destroyEnded(now: number): number[] {
    const ended = [...this.#epochs.values()].filter(({ endsAt }) => endsAt <= now);
    for (const epoch of ended) this.#destroy(epoch);
    return ended.map(({ id }) => id);
  }

  destroyAll(): void {
    for (const epoch of this.#epochs.values()) this.#destroy(epoch);
  }

  /** The one that would end next is the smallest loss. Our own are never dropped for others. */
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
