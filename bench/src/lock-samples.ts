import { setTimeout as pause } from 'node:timers/promises';
import type { BenchVault } from './bench-vault.ts';
import { withClient } from './with-client.ts';

const sampleEveryMs = 50;

/** Samples what the active connections to a database are waiting for. */
export class LockSamples {
  readonly #sampling: Promise<number>;
  #isStopped = false;

  static start(vault: BenchVault, database: string): LockSamples {
    return new LockSamples(vault, database);
  }

  private constructor(vault: BenchVault, database: string) {
    this.#sampling = this.#sample(vault, database);
  }

  /** Stops sampling. Returns the share of the samples in which an active connection waited for a lock. */
  stop(): Promise<number> {
    this.#isStopped = true;
    return this.#sampling;
  }

  #sample(vault: BenchVault, database: string): Promise<number> {
    return withClient(vault.postgres.urlOf('template1'), async (client) => {
      let [active, waiting] = [0, 0];
      while (!this.#isStopped) {
        const { rows } = await client.query<{ active: number; waiting: number }>(
          `select count(*)::integer as active, (count(*) filter (where wait_event_type = 'Lock'))::integer as waiting
            from pg_stat_activity where datname = $1 and state = 'active'`,
          [database],
        );
        active += rows[0]?.active ?? 0;
        waiting += rows[0]?.waiting ?? 0;
        await pause(sampleEveryMs);
      }
      return active === 0 ? 0 : waiting / active;
    });
  }
}
