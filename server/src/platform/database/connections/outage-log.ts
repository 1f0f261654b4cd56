import type { Logger } from '../../telemetry/logger.ts';
import type { Outage } from './outage.ts';

/** A pool of connections that tells when it loses the database and when it has it again. */
interface Watched {
  onReach(listener: (outage: Outage | undefined) => void): void;
  requireConnection(): Promise<void>;
}

/** Tells an operator once that the database is unreachable, and once that it is back, however many requests fail in between. */
export class OutageLog {
  readonly #logger: Logger;
  readonly #lost = new Set<Watched>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Returns what it was given. Several pools are one database. */
  watch<Pool extends Watched>(pool: Pool): Pool {
    pool.onReach((outage) => {
      const wasLost = this.#lost.size > 0;
      if (outage !== undefined) {
        this.#lost.add(pool);
        if (!wasLost) this.#logger.error(`database unreachable: ${outage.reason}`, { advice: outage.advice });
        return;
      }
      this.#lost.delete(pool);
      if (wasLost && this.#lost.size === 0) this.#logger.warn('database back');
      // The others may have nothing to do for a while, and would not notice.
      for (const other of this.#lost) other.requireConnection().catch(() => undefined);
    });
    return pool;
  }
}
