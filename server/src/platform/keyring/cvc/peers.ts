import type { Sender } from './epoch-message.ts';
import { receiveMs } from './receive-keys.ts';

export const peersMax = 64;
/**
 * The number of counters to remember. Counters are kept for longer than peers, so that messages of a process that no
 * longer exists cannot be replayed.
 */
export const countersMax = 1_024;

/**
 * A receiver of secrets: its public key, and the time on this process's clock from which the owner of the key counts.
 */
export interface Receiver {
  readonly publicKey: Buffer;
  readonly bornAt: number;
}

/** The other servers that sent a message in the last minutes. */
export class Peers {
  readonly #receivers = new Map<string, Receiver>();
  readonly #counters = new Map<string, number>();

  get size(): number {
    return this.#receivers.size;
  }

  get rememberedCount(): number {
    return this.#counters.size;
  }

  /** Returns false for a replay, which is a message that is not newer than the last one of its sender. */
  isNewer({ processId, counter }: Sender): boolean {
    if (counter <= (this.#counters.get(processId) ?? -1)) return false;
    // The entry is deleted first, so that the order of the map is the order of last use.
    this.#counters.delete(processId);
    this.#counters.set(processId, counter);
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > countersMax && oldest !== undefined) this.#counters.delete(oldest);
    return true;
  }

  /**
   * Stores the sender's key, so that messages can be encrypted to it. Returns true if the server was not known. If the
   * table is full, known servers stay in it and new ones are not added, but they can still request keys.
   */
  meet(processId: string, receiver: Receiver): boolean {
    const isKnown = this.#receivers.has(processId);
    if (!isKnown && this.#receivers.size >= peersMax) return false;
    this.#receivers.set(processId, receiver);
    return !isKnown;
  }

  /**
   * Forgets peers whose key has expired. They have sent nothing for minutes and could not open anything sent to them.
   */
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

/**
 * Returns the latest time at which the private key is destroyed. A late or replayed message makes the key look younger,
 * never older.
 */
export function diesAt({ bornAt }: Receiver): number {
  return bornAt + receiveMs;
}
