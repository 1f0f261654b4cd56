import type { Sender } from './epoch-message.ts';
import { receiveMs } from './receive-keys.ts';

export const peersMax = 64;
/** Counters are remembered for longer than peers, so that a process that is gone cannot be played again. */
export const countersMax = 1_024;

/** Where secrets can be sent: a public key, and when it was born by our own clock. */
export interface Receiver {
  readonly publicKey: Buffer;
  readonly bornAt: number;
}

/** The other servers, as far as they were heard of in the last minutes. */
export class Peers {
  readonly #receivers = new Map<string, Receiver>();
  readonly #counters = new Map<string, number>();

  get size(): number {
    return this.#receivers.size;
  }

  get rememberedCount(): number {
    return this.#counters.size;
  }

  /** False for a message that is not newer than the last one of its sender: it is played again. */
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
   * Takes the sender's key for what will be sent to it. True when it is a server that was not known. A full table takes
   * no more: those who have a place keep it, and the one without can still ask.
   */
  meet(processId: string, receiver: Receiver): boolean {
    const isKnown = this.#receivers.has(processId);
    if (!isKnown && this.#receivers.size >= peersMax) return false;
    this.#receivers.set(processId, receiver);
    return !isKnown;
  }

  /** A peer whose key is over has not been heard for minutes: nothing that is sent to it could be opened. */
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
  return now < receiver.bornAt + receiveMs;
}
