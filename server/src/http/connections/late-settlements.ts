import { withoutDeadline } from '../../platform/waiting/deadline.ts';

const pausesMs = [1_000, 2_000, 4_000, 8_000, 16_000];
const waitingMax = 1_000;

/**
 * Tries again to record what became of idempotency keys, after an outage of the database. Whoever retries a request that changed
 * nothing is then let through; otherwise the key counts as used by a request of which nobody knows what came of it.
 */
export class LateSettlements {
  #waiting = 0;

  /** Not beyond a bound: a long outage would fill the memory with what matters little. */
  add(settle: () => Promise<void>): void {
    if (this.#waiting >= waitingMax) return;
    this.#waiting += 1;
    withoutDeadline(() => this.#tryLater(settle, 0));
  }

  #tryLater(settle: () => Promise<void>, attempt: number): void {
    const pauseMs = pausesMs[attempt];
    if (pauseMs === undefined) {
      this.#waiting -= 1;
      return;
    }
    const settleAgain = async () => {
      try {
        await settle();
        this.#waiting -= 1;
      } catch {
        this.#tryLater(settle, attempt + 1);
      }
    };
    // A server that stops does not wait for it.
    setTimeout(() => void settleAgain(), pauseMs).unref();
  }
}
