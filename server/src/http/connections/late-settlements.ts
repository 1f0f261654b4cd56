import { withoutDeadline } from '../../platform/waiting/deadline.ts';

const pausesMs = [1_000, 2_000, 4_000, 8_000, 16_000];
const waitingMax = 1_000;

/**
 * Retries recording the outcome of idempotency keys after a database outage. Without such a retry, the key counts as
 * used by a request with an unknown outcome. With it, a client can repeat a request that changed nothing.
 */
export class LateSettlements {
  #waiting = 0;

  /**
   * Adds a settlement, unless too many are already waiting. A long outage would otherwise fill the memory with data of
   * little importance.
   */
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
    // The timer does not keep a stopping server alive.
    setTimeout(() => void settleAgain(), pauseMs).unref();
  }
}
