import type { Logger } from '../../telemetry/logger.ts';
import type { Outage } from './outage.ts';

/** A connection pool that reports when it loses the database and when it reaches it again. */
interface Watched {
  onReach(listener: (outage: Outage | undefined) => void): void;
  requireConnection(): Promise<void>;
}

/**
 * Logs once that the database is unreachable and once that it is reachable again, no matter how many requests fail in
 * between.
 */
export class OutageLog {
  readonly #logger: Logger;
  readonly #lost = new Set<Watched>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Watches a pool and returns it. All watched pools are treated as one database. */
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
      // The other pools may be idle and would not notice for a while that the database is reachable again.
      for (const other of this.#lost) other.requireConnection().catch(() => undefined);
    });
    return pool;
  }
}
