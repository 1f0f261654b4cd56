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
import { NodeContradictionLog } from '../platform/audit/node-contradiction-log.ts';
import { nodeSealJobs } from '../platform/audit/node-seal-job.ts';
import { NodeSealKeeper } from '../platform/audit/node-seal-keeper.ts';
import type { MailConfig, WorkerConfig } from '../platform/config/config.ts';
import { addPoolMetrics } from '../platform/database/database-metrics.ts';
import { OutageLog } from '../platform/database/outage-log.ts';
import type { Job } from '../platform/jobs/job.ts';
import { jobOnAll } from '../platform/jobs/job-on-all.ts';
import { JobRunner } from '../platform/jobs/job-runner.ts';
import { jointCommitJobs } from '../platform/nodes/joint-commit-job.ts';
import { Mailer } from '../platform/mail/mailer.ts';
import { homeName } from '../core/nodes/home-name.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { openTracer } from '../platform/telemetry/traces/open-tracer.ts';
import { addTraceMetrics } from '../platform/telemetry/traces/trace-metrics.ts';
import { databaseCheck, notStopping } from './readiness.ts';
import { addKeyAgeMetrics } from './key-metrics.ts';
import { listen } from './listen.ts';
import { openWhole } from './open-whole.ts';
import { openSealerDatabases, requireNamedDatabases } from './sealer-databases.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { startSealing } from './start-sealing.ts';
import { openJobDatabase, VaultCore } from './vault-core.ts';
import { watchGround } from './watch-ground.ts';

const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_WORKER_ADMIN_PORT' };

/** A running worker: takes background jobs from the database and seals the audit log. */
export class VaultWorker {
  readonly adminUrl: string;
  readonly #opened: AsyncDisposableStack;
  readonly #logger: Logger;
  #stopped: Promise<void> | undefined;

  static start(config: WorkerConfig, logger: Logger): Promise<VaultWorker> {
    return openWhole((opened) => VaultWorker.#open(config, logger, opened));
  }

  static async #open(config: WorkerConfig, logger: Logger, opened: AsyncDisposableStack): Promise<VaultWorker> {
    const tracer = opened.adopt(await openTracer(config.traces, { role: 'work', logger }), (it) => it.close());
    const core = opened.adopt(await VaultCore.open(config, tracer), (it) => it.close());
    const outages = core.nodes.each(({ database }) => {
      const log = new OutageLog(logger);
      log.watch(database);
      return log;
    });
    // A worker does not use card verification codes, but holds their keys while a single server restarts.
    opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
    const metrics = new Metrics();
    addTraceMetrics(metrics, tracer);
    const ground = opened.adopt(watchGround(core.database, config.database, metrics), (it) => it.stop());
    let isStopping = false;
    // Health is available until the last job is done.
    const admin = opened.adopt(
      createAdminEdge({
        metrics,
        checks: [notStopping(() => isStopping), databaseCheck(core.database)],
        ground: () => ground.findings,
      }),
      (it) => it.close(),
    );
    const sealerDatabases = openSealerDatabases(config.database, tracer);
    for (const { database } of sealerDatabases) opened.adopt(database, (it) => it.close());
    for (const node of core.nodes.all) {
      const own = sealerDatabases.find(({ node: name = homeName }) => name === node.name);
      await own?.database.requireConnection();
      if (own !== undefined) outages.of(node).watch(own.database);
    }
    await requireNamedDatabases(sealerDatabases);
    const signer = core.systemKeys.auditSigner();
    const contradictions = new NodeContradictionLog(logger);
    const nodeSealing = {
      databases: sealerDatabases,
      publicKey: signer.publicKey,
      onContradictions: contradictions.tell.bind(contradictions),
    };
    const nodeSeals = { keeper: new NodeSealKeeper(nodeSealing), contradictions };
    opened.adopt(
      await startSealing({ core, databases: sealerDatabases, config: config.audit, nodeSeals, logger, metrics }),
      (it) => it.stop(),
    );
    const jobs = [
      jobOnAll(core.nodes.all, ({ database }) => auditPartitionsJob(database)),
      jobOnAll(sealerDatabases, (log) => auditRetentionJob(log, { monthsKept: config.audit.retentionMonths, signer })),
      purgeTenantJob(core.nodes),
      sweepIdempotencyJob(core.database),
      sweepSessionsJob(core.database),
      ...sweepTokensJobs(core.nodes),
      abandonedCallsJob(core.database),
      ...createMailJobs(core, config.mail, logger),
      sweepInvitationsJob(core.database),
      sweepSignInsJob(core.database),
      ...jointCommitJobs(core.nodes),
      ...nodeSealJobs({ ...nodeSealing, leftToSignerSeconds: 7 * 60 }),
    ];
    const jobDatabase = opened.adopt(outages.of(core.nodes.home).watch(openJobDatabase(config.database)), (it) =>
      it.close(),
    );
    opened.adopt(await JobRunner.start({ database: jobDatabase, jobs, logger, metrics, tracer }), (it) => it.stop());
    addPoolMetrics(
      metrics,
      new Map([
        ['vault', core.database],
        ['sealer', sealerDatabases[0].database],
        ['jobs', jobDatabase],
      ]),
    );
    addKeyAgeMetrics(metrics, core.database);
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

  /** Takes no more jobs, lets those under way finish or hands them back, then closes everything. Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync().then(() => this.#logger.info('stopped'));
    return this.#stopped;
  }
}

/** None without a mail server: mail then waits in the queue for a worker that has one. */
function createMailJobs({ database, systemKeys }: VaultCore, mail: MailConfig, logger: Logger): Job[] {
  if (mail.smtp === undefined) return [];
  const links = new InvitationLinks({ systemKeys, publicUrl: mail.publicUrl ?? '' });
  return [mailInvitationJob({ database, links, mailer: new Mailer(mail.smtp), logger })];
}
