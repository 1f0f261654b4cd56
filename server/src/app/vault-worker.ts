import { abandonedCallsJob } from '../features/proxy/index.ts';
import { purgeTenantJob } from '../features/tenants/index.ts';
import { auditPartitionsJob } from '../platform/audit/audit-partitions-job.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { startJobRunner } from '../platform/jobs/job-runner.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { VaultCore } from './vault-core.ts';

/** A running worker: takes background jobs from the database. */
export class VaultWorker {
  readonly #stop: () => Promise<void>;

  static async start(config: VaultConfig, logger: Logger): Promise<VaultWorker> {
    const core = await VaultCore.open(config);
    // A worker does nothing with card verification codes, but holds their keys while a lone server restarts.
    const epochKeys = await startEpochKeys(core, config);
    const jobs = [auditPartitionsJob(core.database), purgeTenantJob(core.database), abandonedCallsJob(core.database)];
    const runner = await startJobRunner({ ownerUrl: config.database.ownerUrl, jobs, logger });
    logger.info('working', { count: jobs.length });
    return new VaultWorker(async () => {
      await runner.stop();
      await epochKeys.stop();
      await core.close();
    });
  }

  private constructor(stop: () => Promise<void>) {
    this.#stop = stop;
  }

  /** Lets jobs under way finish. */
  stop(): Promise<void> {
    return this.#stop();
  }
}
