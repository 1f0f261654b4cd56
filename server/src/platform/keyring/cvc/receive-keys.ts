import { leadMs, sealMs } from './epoch.ts';
import { type KeyPair, makeKeyPair } from './x25519.ts';

/** How long after its birth every server takes a key for dead. It is part of the protocol: releases must agree on it. */
export const receiveMs = sealMs + leadMs;
/** How long a key accepts messages. It overlaps with its successor by the lead time, so that no message in flight is lost. */
export const keyLifeMs = 3 * leadMs;
const keysMax = 8;

export interface ReceiveKey extends KeyPair {
  /**
   * The moment that times in messages count from. It lies before the key was created: others add `receiveMs` to it to know
   * when the key dies, and it dies sooner than that after its creation.
   */
  readonly bornAt: number;
  readonly diesAt: number;
}

/**
 * The key pairs that others encrypt epoch secrets to. Messages may persist for years, in a log or on the disk of the
 * database, so they are made unreadable by destroying the key: it lives for 90 seconds, and never longer than
 * the first epoch received through it. A message that never arrives cannot end the key it was written for, so
 * senders choose only keys that die before the epochs in the message.
 */
export class ReceiveKeys {
  #keys: ReceiveKey[] = [];

  get newest(): ReceiveKey {
    const newest = this.#keys.at(-1);
    if (newest === undefined) throw new Error('There is no key to receive with before start or after stop.');
    return newest;
  }

  get nextDueAt(): number {
    const newest = this.#keys.at(-1);
    if (newest === undefined) return Number.NEGATIVE_INFINITY;
    return Math.min(newest.diesAt - leadMs, ...this.#keys.map(({ diesAt }) => diesAt));
  }

  /** Destroys expired keys and creates the next one in time. True if there is a new one to announce. */
  advance(now: number): boolean {
    const newest = this.#keys.at(-1);
    const isDue = newest === undefined || now >= newest.diesAt - leadMs;
    if (isDue) {
      const diesAt = now + keyLifeMs;
      this.#keys.push({ ...makeKeyPair(), bornAt: diesAt - receiveMs, diesAt });
    }
    const surplus = this.#keys.length - keysMax;
    for (const [index, key] of this.#keys.entries()) if (key.diesAt <= now || index < surplus) key.secret.fill(0);
    this.#keys = this.#keys.filter(({ diesAt }, index) => now < diesAt && index >= surplus);
    return isDue;
  }

  find(publicKey: Buffer, now: number): ReceiveKey | undefined {
    return this.#keys.find((key) => now < key.diesAt && key.publicKey.equals(publicKey));
  }

  /** Called with the end of every epoch received through a key. */
  endBy(key: ReceiveKey, endsAt: number): void {
    this.#keys = this.#keys.map((kept) =>
      kept.publicKey.equals(key.publicKey) ? { ...kept, diesAt: Math.min(kept.diesAt, endsAt) } : kept,
    );
  }

  destroyAll(): void {
    for (const { secret } of this.#keys) secret.fill(0);
    this.#keys = [];
  }
}
