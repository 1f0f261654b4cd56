const burst = 512;
const perSecond = 64;

/**
 * Limits how many messages are sent in response to requests. Further requests are ignored, and their senders will
 * repeat them.
 */
export class ResponseBudget {
  #left = burst;
  #countedAt: number;

  constructor(now: number) {
    this.#countedAt = now;
  }

  take(messages: number, now: number): boolean {
    const earned = (Math.max(0, now - this.#countedAt) / 1_000) * perSecond;
    this.#left = Math.min(burst, this.#left + earned);
    this.#countedAt = now;
    if (messages > this.#left) return false;
    this.#left -= messages;
    return true;
  }
}
