import type { Sender } from './epoch-message.ts';
import { receiveMs } from './receive-keys.ts';

export const peersMax = 64;
/** Counters are remembered for longer than peers, so that messages of a process that is gone cannot be replayed. */
export const countersMax = 1_024;

/** Where secrets can be sent: a public key, and by our own clock the moment that its owner counts times from. */
export interface Receiver {
  readonly publicKey: Buffer;
  readonly bornAt: number;
}

/** The other servers heard from in the last minutes. */
export class Peers {
  readonly #receivers = new Map<string, Receiver>();
  readonly #counters = new Map<string, number>();

  get size(): number {
    return this.#receivers.size;
  }

  get rememberedCount(): number {
    return this.#counters.size;
  }

  /** False for a message that is not newer than the last one of its sender: it is a replay. */
  isNewer({ processId, counter }: Sender): boolean {
    if (counter <= (this.#counters.get(processId) ?? -1)) return false;
    // Deleted first, so that the order of the map is the order of last use.
    this.#counters.delete(processId);
    this.#counters.set(processId, counter);
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > countersMax && oldest !== undefined) this.#counters.delete(oldest);
    return true;
  }

  /**
   * Stores the sender's key for sending to it. True if the server was not known. A full table accepts
   * no more: known servers keep their place, and others can still request keys.
   */
  meet(processId: string, receiver: Receiver): boolean {
    const isKnown = this.#receivers.has(processId);
    if (!isKnown && this.#receivers.size >= peersMax) return false;
    this.#receivers.set(processId, receiver);
    return !isKnown;
  }

  /** A peer whose key has expired has not been heard from for minutes: it could not open anything sent to it. */
  forgetSilent(now: number): void {
    for (const [processId, receiver] of this.#receivers) {
      if (!isAlive(receiver, now)) this.#receivers.delete(processId);
    }
  }

  list(now: number): Receiver[] {
    return [...this.#receivers.values()].filter((receiver) => isAlive(receiver, now));
  }
}

export function isAlive(receiver: Receiver, now: number): boolean {
  return now < diesAt(receiver);
}

/** When the private key is destroyed at the latest. A message that was late or replayed makes it look younger, never older. */
export function diesAt({ bornAt }: Receiver): number {
  return bornAt + receiveMs;
}
