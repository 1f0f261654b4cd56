import { sweepIdempotencyJob } from '../features/idempotency/index.ts';
import { abandonedCallsJob } from '../features/proxy/index.ts';
import { sweepSessionsJob } from '../features/sessions/index.ts';
import { InvitationLinks, mailInvitationJob, sweepInvitationsJob } from '../features/invitations/index.ts';
import { sweepSignInsJob } from '../features/portal/index.ts';
import { purgeTenantJob } from '../features/tenants/index.ts';
import { sweepTokensJobs } from '../features/tokens/index.ts';
import { createAdminEdge } from '../http/admin-edge.ts';
import { auditPartitionsJob } from '../platform/audit/audit-partitions-job.ts';
import { auditRetentionJob } from '../platform/audit/audit-retention-job.ts';
import type { WorkerConfig } from '../platform/config/config.ts';
import type { Job } from '../platform/jobs/job.ts';
import { startJobRunner } from '../platform/jobs/job-runner.ts';
import { Mailer } from '../platform/mail/mailer.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { databaseCheck } from './database-check.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { startSealing } from './start-sealing.ts';
import { openSealerDatabase, VaultCore } from './vault-core.ts';

/** A running worker: takes background jobs from the database and seals the audit log. */
export class VaultWorker {
  readonly adminUrl: string;
  readonly #stop: () => Promise<void>;

  static async start(config: WorkerConfig, logger: Logger): Promise<VaultWorker> {
    const core = await VaultCore.open(config);
    const undo: (() => Promise<unknown>)[] = [() => core.close()];
    const stop = async () => {
      for (const step of undo.toReversed()) await step();
    };
    try {
      // A worker does nothing with card verification codes, but holds their keys while a lone server restarts.
      const epochKeys = await startEpochKeys(core, config);
      undo.push(() => epochKeys.stop());
      const metrics = new Metrics();
      const sealerDatabase = openSealerDatabase(config.database);
      undo.push(() => sealerDatabase.close());
      const sealing = await startSealing({ core, database: sealerDatabase, config: config.audit, logger, metrics });
      undo.push(() => sealing.stop());
      const jobs = [
        auditPartitionsJob(core.database),
        auditRetentionJob(sealerDatabase, config.audit.retentionMonths),
        purgeTenantJob(core.database),
        sweepIdempotencyJob(core.database),
        sweepSessionsJob(core.database),
        ...sweepTokensJobs(core.database),
        abandonedCallsJob(core.database),
        createMailJob(core, config, logger),
        sweepInvitationsJob(core.database),
        sweepSignInsJob(core.database),
      ];
      const runner = await startJobRunner({ ownerUrl: config.database.ownerUrl, jobs, logger, metrics });
      undo.push(() => runner.stop());
      const admin = createAdminEdge({ metrics, checks: [databaseCheck(core.database)] });
      undo.push(() => admin.close());
      const adminUrl = await admin.listen(config.admin);
      logger.info('working', { count: jobs.length });
      return new VaultWorker(adminUrl, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  private constructor(adminUrl: string, stop: () => Promise<void>) {
    this.adminUrl = adminUrl;
    this.#stop = stop;
  }

  /** Lets jobs under way finish. */
  stop(): Promise<void> {
    return this.#stop();
  }
}

function createMailJob({ database, systemKeys }: VaultCore, { mail }: WorkerConfig, logger: Logger): Job {
  const links = new InvitationLinks({ systemKeys, publicUrl: mail.publicUrl ?? '' });
  const mailer = mail.smtp === undefined ? undefined : new Mailer(mail.smtp);
  return mailInvitationJob({ database, links, mailer, logger });
}
