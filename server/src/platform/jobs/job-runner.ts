import { type JobResult, PgBoss, type Queue, type Job as TakenJob } from 'pg-boss';
import { reasonOf } from '../../core/errors/operator-error.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { type Job, toCron } from './job.ts';
import { JobDatabase, type ListenAddress, readFailure } from './job-database.ts';
import { watchQueue, watchRuns, type WatchedJob } from './job-watch.ts';
import { bossOptions, deadLetters } from './queue-status.ts';
import { SlotRunner } from './slot-runner.ts';
import { listWaitingGroups } from './waiting-groups.ts';

export interface JobPace {
  /** The interval at which an idle worker looks for jobs of which it was not notified. */
  readonly pollSeconds: number;
  /**
   * The time after which another worker may take a job whose worker no longer reports, for example because it was
   * killed.
   */
  readonly heartbeatSeconds: number;
  /** The interval at which workers look for jobs of killed workers. */
  readonly watchSeconds: number;
  /** The time that `stop` waits for running jobs. */
  readonly patienceMs: number;
  /** The time limit of a run, unless the job has its own. */
  readonly limitMs: number;
}

/**
 * The default timing. Stopping takes well under the thirty seconds after which many supervisors kill a process, unless
 * the database does not respond.
 */
export const jobPace: JobPace = {
  pollSeconds: 5,
  heartbeatSeconds: 30,
  watchSeconds: 15,
  patienceMs: 20_000,
  limitMs: 10 * 60_000,
};

export interface JobRunnerOptions {
  /** The pool for taking jobs. Its login must be a member of `strongroom_worker`. */
  readonly database: Database;
  /** The address at which to listen for new jobs. */
  readonly address: ListenAddress;
  readonly jobs: readonly Job[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer;
  readonly pace?: JobPace;
}

/** Jobs with groups are taken over sooner, because each one delays its group. It is the shortest that pg-boss offers. */
const groupHeartbeatSeconds = 10;

/** Jobs wait for a worker for ten years, which is the longest that pg-boss offers short of a limit of its own. */
const keptForever = { retentionSeconds: 10 * 365 * 24 * 3_600 };

/** Takes jobs from pg-boss in this process. Any number of processes may do so at the same time. */
export class JobRunner {
  readonly #boss: PgBoss;
  readonly #slots: readonly SlotRunner[];
  readonly #patienceMs: number;
  readonly #logger: Logger;

  static async start({ pace = jobPace, tracer = noTracer, ...options }: JobRunnerOptions): Promise<JobRunner> {
    const { database, address, jobs, logger, metrics } = options;
    const slots: SlotRunner[] = [];
    const boss = new PgBoss({
      ...bossOptions,
      db: new JobDatabase(database, address, (queue) => {
        for (const runner of slots) if (runner.name === queue) runner.notify();
      }),
      useListenNotify: true,
      superviseIntervalSeconds: pace.watchSeconds,
      monitorIntervalSeconds: pace.watchSeconds,
      // A worker owns no table, so it can neither rebuild indexes nor see how vacuum is doing.
      reindex: false,
      monitorVacuum: false,
    });
    boss.on('error', (error) => {
      const { isOutage, reason } = readFailure(error);
      if (!isOutage) logger.error('job queue unavailable', { error: reason });
    });
    boss.on('warning', ({ message }) => logger.warn('job queue', { advice: message }));
    try {
      await boss.start();
      watchQueue(jobs, database, metrics);
      for (const job of watchRuns(jobs, pace.limitMs, { logger, metrics, tracer })) {
        if (job.slots === undefined) await offer(boss, job, pace);
        else slots.push(await offerSlots(boss, job, { pace, logger, database }));
      }
    } catch (error) {
      // Without this, timers of pg-boss would keep a process alive that has failed to start.
      await Promise.all(slots.map((runner) => runner.stop(0)));
      await boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
    return new JobRunner({ boss, slots }, pace.patienceMs, logger);
  }

  private constructor(parts: { boss: PgBoss; slots: readonly SlotRunner[] }, patienceMs: number, logger: Logger) {
    this.#boss = parts.boss;
    this.#slots = parts.slots;
    this.#patienceMs = patienceMs;
    this.#logger = logger;
  }

  /** Takes no more jobs and waits for those that are running. Jobs that do not finish in time are retried. */
  async stop(): Promise<void> {
    this.#logger.info('draining: no more jobs, finishing those under way');
    await Promise.all(this.#slots.map((runner) => runner.stop(this.#patienceMs)));
    await this.#boss.stop({ graceful: true, timeout: this.#patienceMs });
  }
}

/** Takes jobs of one kind, and schedules them if they have a schedule. */
async function offer(boss: PgBoss, job: WatchedJob, pace: JobPace): Promise<void> {
  const { name, schedule } = job;
  const options = optionsOf(job, pace);
  await boss.createQueue(name, { ...options, policy: 'exclusive' });
  await boss.updateQueue(name, options);
  if (schedule !== undefined) await boss.schedule(name, toCron(schedule), null, { missed: 'once' });
  // Enqueued jobs are taken and recorded in batches if they are short, because a batch ends with its longest job.
  const isShort = job.limitMs <= pace.limitMs;
  const batch = schedule === undefined ? { batchSize: isShort ? 5 : 1, localConcurrency: 4 } : {};
  const polling = { pollingIntervalSeconds: pace.pollSeconds, notifyPollingIntervalSeconds: pace.pollSeconds };
  await boss.work(name, { ...batch, ...polling, burstWhenBatchFull: true, perJobResults: true }, (taken) =>
    Promise.all(taken.map((one) => attempt(job, one))),
  );
}

/** Takes jobs that have groups. Their runs can be long, so none waits for another. */
async function offerSlots(
  boss: PgBoss,
  job: WatchedJob & { readonly slots?: number },
  { pace, logger, database }: { readonly pace: JobPace; readonly logger: Logger; readonly database: Database },
): Promise<SlotRunner> {
  const heartbeatSeconds = Math.min(pace.heartbeatSeconds, groupHeartbeatSeconds);
  // Such a job only says that there is something to do. If another one of its group waits when its worker dies, pg-boss
  // ends it, so it is no dead letter.
  const { deadLetter: _, ...options } = optionsOf(job, { ...pace, heartbeatSeconds });
  await boss.createQueue(job.name, { ...options, deleteAfterSeconds: 60, policy: 'stately' });
  await boss.updateQueue(job.name, { ...options, deleteAfterSeconds: 60, deadLetter: null });
  return new SlotRunner({
    boss,
    job,
    slots: job.slots ?? 1,
    listGroups: (tenantIds) => listWaitingGroups(database, job.name, tenantIds),
    pollSeconds: pace.pollSeconds,
    heartbeatSeconds,
    logger,
  });
}

function optionsOf({ schedule, limitMs }: WatchedJob, { heartbeatSeconds }: JobPace): Omit<Queue, 'name' | 'policy'> {
  // The job itself stops at its time limit. The limit here is for a worker in which even that fails.
  const expireInSeconds = Math.ceil(limitMs / 1_000) + 60;
  const common = { heartbeatSeconds, expireInSeconds, retryBackoff: true, deleteAfterSeconds: 3_600 };
  // A scheduled job that fails again and again runs at its next time anyway. Others are retried for about four days.
  return schedule === undefined
    ? {
        ...common,
        ...keptForever,
        notify: true,
        deadLetter: deadLetters,
        retryLimit: 100,
        retryDelay: 1,
        retryDelayMax: 4_096,
      }
    : { ...common, retryLimit: 3, retryDelay: 5, retryDelayMax: schedule.everyMinutes * 60 };
}

/** Runs a job and returns what to record about it. A failure is recorded by its reason, which contains no values. */
async function attempt(job: WatchedJob, { id, data, signal }: TakenJob<unknown>): Promise<JobResult> {
  try {
    await job.run(data, signal);
    return { id, status: 'completed' };
  } catch (error) {
    return { id, status: 'failed', output: { error: reasonOf(error) } };
  }
}
