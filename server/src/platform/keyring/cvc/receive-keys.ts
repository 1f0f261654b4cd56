import { leadMs, sealMs } from './epoch.ts';
import { type KeyPair, makeKeyPair } from './x25519.ts';

/** The age at which every server considers a key dead. It is part of the protocol, so all releases must agree on it. */
export const receiveMs = sealMs + leadMs;
/**
 * The time for which a key accepts messages. The key and its successor overlap by the lead time, so that no message in
 * flight is lost.
 */
export const keyLifeMs = 3 * leadMs;
const keysMax = 8;

export interface ReceiveKey extends KeyPair {
  /**
   * The time to which times in messages are relative. It is before the key's creation: other servers add `receiveMs` to
   * it to get the time when the key dies, but a key lives for less than `receiveMs`.
   */
  readonly bornAt: number;
  readonly diesAt: number;
}

/**
 * The key pairs to which other servers encrypt epoch secrets. Messages may persist for years in a log or on the
 * database's disk, and destroying the key makes them unreadable. A key lives for 90 seconds, and never longer than the
 * first epoch received through it. A message that never arrives cannot shorten the life of the key it was encrypted to,
 * so senders only use keys that die before the epochs in the message.
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

  /** Destroys expired keys and creates the next key in time. Returns true if there is a new key to announce. */
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

  /** Shortens the life of a key. It must be called with the end of every epoch received through that key. */
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
