import { sweepApprovalsJob } from '../../features/approvals/index.ts';
import { sweepIdempotencyJob } from '../../features/idempotency/index.ts';
import { abandonedCallsJob } from '../../features/proxy/index.ts';
import { sweepClientKeysJob } from '../../features/client-keys/index.ts';
import { sweepTokenIntentsJobs } from '../../features/token-intents/index.ts';
import { sweepSessionsJob } from '../../features/sessions/index.ts';
import { InvitationLinks, mailInvitationJob, sweepInvitationsJob } from '../../features/invitations/index.ts';
import { sweepSignInsJob } from '../../features/portal/index.ts';
import { addEndpointGauges, type RunPace, wakeWebhooksOf } from '../../features/webhooks/index.ts';
import { addStreamGauges, type StreamPace, wakeLogStreams } from '../../features/log-streams/index.ts';
import { sweepHoldsJob, sweepRetentionJobs } from '../../features/retention/index.ts';
import { purgeTenantJob, removeTenantsJob } from '../../features/tenants/index.ts';
import { sweepTokensJobs } from '../../features/tokens/index.ts';
import { createAdminEdge } from '../../http/edge/admin-edge.ts';
import { addArchiveGauge } from '../../platform/audit/archive/archive-gauge.ts';
import { auditPartitionsJob } from '../../platform/audit/retention/audit-partitions-job.ts';
import { findArchivedIn } from '../wiring/archive-wiring.ts';
import { auditRetentionJob } from '../../platform/audit/retention/audit-retention-job.ts';
import type { WorkerConfig } from '../../platform/config/config.ts';
import type { MailConfig } from '../../platform/config/portal-settings.ts';
import { addPoolMetrics } from '../../platform/database/pool-metrics.ts';
import { OutageLog } from '../../platform/database/connections/outage-log.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type JobPace, JobRunner } from '../../platform/jobs/job-runner.ts';
import { Mailer } from '../../platform/mail/mailer.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { openTracer } from '../../platform/traces/open-tracer.ts';
import { addTraceMetrics } from '../../platform/traces/trace-metrics.ts';
import { createApprovals } from '../wiring/approval-wiring.ts';
import { createErasureJobs } from '../wiring/erasure-wiring.ts';
import { keepEvidenceJob, type RunningProgram } from '../evidence/monthly/keep-evidence-job.ts';
import { createStreamJobs } from '../wiring/log-stream-wiring.ts';
import { createWebhookJobs } from '../wiring/webhook-wiring.ts';
import { databaseChecks, notStopping } from './readiness.ts';
import { addKeyAgeMetrics } from './key-metrics.ts';
import { listen } from './listen.ts';
import { openWhole } from '../wiring/open-whole.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { startSealing } from './start-sealing.ts';
import { openJobDatabase, openSealerDatabase, VaultCore } from '../wiring/vault-core.ts';
import { watchGround } from './watch-ground.ts';

const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_WORKER_ADMIN_PORT' };

const unknownProgram: RunningProgram = { environment: {}, version: '' };

/** Timing that only tests change. */
export interface WorkerTiming {
  readonly webhookPace?: Partial<RunPace>;
  readonly streamPace?: Partial<StreamPace>;
  readonly jobPace?: JobPace;
}

/** What a worker is given besides its configuration. */
export interface WorkerOptions extends WorkerTiming {
  /** What facts of evidence say about the program. */
  readonly program?: RunningProgram;
}

/** A running worker, which takes background jobs from the database and seals the audit log. */
export class VaultWorker {
  readonly adminUrl: string;
  readonly #opened: AsyncDisposableStack;
  readonly #logger: Logger;
  #stopped: Promise<void> | undefined;

  /** Tests use their own timing. */
  static start(config: WorkerConfig, logger: Logger, options: WorkerOptions = {}): Promise<VaultWorker> {
    return openWhole((opened) => VaultWorker.#open(config, { logger, ...options }, opened));
  }

  static async #open(
    config: WorkerConfig,
    {
      logger,
      webhookPace,
      streamPace,
      jobPace: pace,
      program = unknownProgram,
    }: WorkerOptions & { readonly logger: Logger },
    opened: AsyncDisposableStack,
  ): Promise<VaultWorker> {
    const tracer = opened.adopt(await openTracer(config.traces, { role: 'work', logger }), (it) => it.close());
    const core = opened.adopt(await VaultCore.open(config, tracer), (it) => it.close());
    const outages = new OutageLog(logger);
    outages.watch(core.database);
    // A worker does not use card verification codes, but it preserves their keys while the only server restarts.
    opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
    const metrics = new Metrics();
    addTraceMetrics(metrics, tracer);
    const ground = opened.adopt(watchGround(core.database, config.database, { metrics, logger }), (it) => it.stop());
    let isStopping = false;
    // Health checks are served until the last job is done.
    const admin = opened.adopt(
      createAdminEdge({
        metrics,
        checks: [notStopping(() => isStopping), ...databaseChecks(core.database)],
        ground: () => ground.findings,
      }),
      (it) => it.close(),
    );
    const sealerDatabase = opened.adopt(
      outages.watch(openSealerDatabase(config.database, { tracer, origins: core.origins })),
      (it) => it.close(),
    );
    await sealerDatabase.requireConnection();
    // Streams read much at a time, and sealing must not wait for them. Nothing connects before it is used.
    const streamDatabase = opened.adopt(
      outages.watch(openSealerDatabase(config.database, { tracer, origins: core.origins })),
      (it) => it.close(),
    );
    const wake = async (tenantIds: readonly string[]) => {
      await wakeWebhooksOf(sealerDatabase, tenantIds);
      await wakeLogStreams(sealerDatabase, config.logStreams);
    };
    const sealing = { core, database: sealerDatabase, config: config.audit, logger, metrics, wake };
    opened.adopt(await startSealing(sealing), (it) => it.stop());
    const jobs = [
      auditPartitionsJob(core.database),
      auditRetentionJob(sealerDatabase, {
        monthsKept: config.audit.retentionMonths,
        signer: core.systemKeys.auditSigner(),
        ...findArchivedIn(config.audit.archive, sealerDatabase, core),
      }),
      keepEvidenceJob({ core, config, logger, ...program }),
      removeTenantsJob(core.database),
      purgeTenantJob(core.database),
      sweepIdempotencyJob(core.database),
      sweepSessionsJob(core.database),
      sweepClientKeysJob(core.database),
      ...sweepTokenIntentsJobs(core.database),
      ...sweepTokensJobs(core.database),
      ...sweepRetentionJobs({ database: core.database, log: sealerDatabase }),
      sweepHoldsJob(core.database),
      ...createErasureJobs(core, { sealerDatabase, backupDays: config.audit.backupDays }),
      abandonedCallsJob(core.database),
      ...createMailJobs(core, config.mail, logger),
      sweepInvitationsJob(core.database),
      sweepApprovalsJob(core.database, createApprovals(core, config.mail.publicUrl ?? '')),
      sweepSignInsJob(core.database),
      ...createWebhookJobs(core, {
        outbound: config.outbound,
        mail: config.mail,
        logger,
        metrics,
        ...(webhookPace === undefined ? {} : { pace: webhookPace }),
      }),
      ...createStreamJobs(streamDatabase, {
        streams: config.logStreams,
        logger,
        metrics,
        ...(streamPace === undefined ? {} : { pace: streamPace }),
      }),
    ];
    const jobDatabase = opened.adopt(outages.watch(openJobDatabase(config.database, { origins: core.origins })), (it) =>
      it.close(),
    );
    const { ownerUrl: url } = config.database;
    const address = { url, origin: core.origins.of(url) };
    opened.adopt(
      await JobRunner.start({
        database: jobDatabase,
        address,
        jobs,
        logger,
        metrics,
        tracer,
        ...(pace === undefined ? {} : { pace }),
      }),
      (it) => it.stop(),
    );
    // A tenant that was moved or restored here has no jobs yet.
    await wakeWebhooksOf(sealerDatabase, 'all');
    await wakeLogStreams(sealerDatabase, config.logStreams);
    addPoolMetrics(
      metrics,
      new Map([
        ['vault', core.database],
        ['sealer', sealerDatabase],
        ['streams', streamDatabase],
        ['jobs', jobDatabase],
      ]),
    );
    addKeyAgeMetrics(metrics, core.database);
    addEndpointGauges(metrics, sealerDatabase);
    addStreamGauges(metrics, streamDatabase, config.logStreams);
    addArchiveGauge(metrics, sealerDatabase, {
      hasArchive: config.audit.archive !== undefined,
      monthsKept: config.audit.retentionMonths,
    });
    const adminUrl = await listen(admin, { ...config.admin, settings: adminSettings });
    opened.defer(() => {
      isStopping = true;
    });
    logger.info('working', { count: jobs.length });
    return new VaultWorker({ adminUrl, opened, logger });
  }

  private constructor(parts: { adminUrl: string; opened: AsyncDisposableStack; logger: Logger }) {
    this.adminUrl = parts.adminUrl;
    this.#opened = parts.opened;
    this.#logger = parts.logger;
  }

  /**
   * Takes no more jobs, lets running ones finish or hands them back, then closes everything. Safe to call more than
   * once.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync().then(() => this.#logger.info('stopped'));
    return this.#stopped;
  }
}

/** Returns no jobs if there is no mail server. Mail then waits in the queue for a worker that has one. */
function createMailJobs({ database, systemKeys }: VaultCore, mail: MailConfig, logger: Logger): Job[] {
  if (mail.smtp === undefined) return [];
  const links = new InvitationLinks({ systemKeys, publicUrl: mail.publicUrl ?? '' });
  return [mailInvitationJob({ database, links, mailer: new Mailer(mail.smtp), logger })];
}
