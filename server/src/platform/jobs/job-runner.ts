import { setTimeout as pauseFor } from 'node:timers/promises';
import { nameOf } from '../../core/errors/thrown.ts';
import type { Database } from '../database/database.ts';
import { findOutage } from '../database/database-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { withinTime } from '../waiting/within-time.ts';
import type { Job } from './job.ts';
import { type ClaimedJob, JobStore } from './job-store.ts';
import { type WatchedJob, watchLag, watchSuccess } from './job-watch.ts';

const concurrencyMax = 4;

export interface JobPace {
  /** The interval at which an idle worker polls for jobs. */
  readonly pollMs: number;
  /**
   * The time after which another worker may take a job whose worker no longer renews its claim, for example because it
   * was killed.
   */
  readonly leaseMs: number;
  /** The time that `stop` waits for running jobs. */
  readonly patienceMs: number;
  /** The time limit of a run, unless the job has its own. */
  readonly limitMs: number;
}

/** The default timing. Stopping takes well under the thirty seconds after which many supervisors kill a process. */
export const jobPace: JobPace = { pollMs: 1_000, leaseMs: 60_000, patienceMs: 20_000, limitMs: 10 * 60_000 };

export interface JobRunnerOptions {
  /** The database, with a login that is a member of `strongroom_worker`. */
  readonly database: Database;
  readonly jobs: readonly Job[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer;
  readonly pace?: JobPace;
}

/** Takes jobs from the queue in this process. Any number of processes may do so at the same time. */
export class JobRunner {
  readonly #store: JobStore;
  readonly #jobs: ReadonlyMap<string, WatchedJob>;
  readonly #logger: Logger;
  readonly #pace: JobPace;
  readonly #stopping = new AbortController();
  readonly #running = new Map<ClaimedJob, Promise<void>>();
  readonly #dispatching: Promise<void>;
  #placeFreed = Promise.withResolvers<void>();

  static async start({ pace = jobPace, tracer = noTracer, ...options }: JobRunnerOptions): Promise<JobRunner> {
    const store = new JobStore(options.database, pace.leaseMs / 1_000);
    await store.plant(options.jobs);
    return new JobRunner(store, { ...options, pace, tracer });
  }

  private constructor(store: JobStore, { jobs, logger, metrics, pace, tracer }: Required<JobRunnerOptions>) {
    this.#store = store;
    this.#logger = logger;
    this.#pace = pace;
    this.#jobs = new Map(watchSuccess(jobs, pace.limitMs, { logger, metrics, tracer }).map((job) => [job.name, job]));
    watchLag(jobs, () => store.listLags(), metrics);
    metrics.addGauge('strongroom_jobs_running', 'Jobs under way in this process.', () => this.#running.size);
    this.#dispatching = this.#dispatch();
  }

  /** Lets running jobs finish, and hands jobs that do not finish in time to other workers. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#placeFreed.resolve();
    await this.#dispatching;
    const { patienceMs } = this.#pace;
    this.#logger.info('draining: no more jobs, finishing those under way', {
      count: this.#running.size,
      seconds: patienceMs / 1_000,
    });
    const finished = Promise.all(this.#running.values());
    await withinTime(finished, patienceMs, 'Jobs are still under way.').catch(() => undefined);
    for (const job of this.#running.keys()) {
      this.#running.delete(job);
      this.#logger.warn('job handed back', { job: job.task });
      await this.#record(job, () => this.#store.handBack(job));
    }
  }

  async #dispatch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (this.#running.size >= concurrencyMax) {
        this.#placeFreed = Promise.withResolvers();
        await this.#placeFreed.promise;
      } else if (!(await this.#takeOne())) {
        // The signal to stop ends the delay early.
        await pauseFor(this.#pace.pollMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Takes a job. Returns true if another one may be waiting. */
  async #takeOne(): Promise<boolean> {
    try {
      const claimed = await this.#store.claim([...this.#jobs.keys()]);
      const job = claimed === undefined ? undefined : this.#jobs.get(claimed.task);
      if (claimed === undefined || job === undefined) return false;
      this.#running.set(claimed, this.#work(claimed, job));
      return true;
    } catch (error) {
      if (findOutage(error) === undefined) this.#logger.error('job queue unavailable', { error: nameOf(error) });
      return false;
    }
  }

  /** Runs a job. Never fails: if the outcome cannot be recorded, the job runs again when the lease has expired. */
  async #work(claimed: ClaimedJob, job: WatchedJob): Promise<void> {
    const renew = () => void this.#record(claimed, () => this.#store.renew(claimed));
    const renewing = setInterval(renew, this.#pace.leaseMs / 3);
    const isDone = await job.run(claimed.payload).then(
      () => true,
      () => false,
    );
    clearInterval(renewing);
    // If the job ran for longer than `stop` waits, it has already been handed back.
    if (!this.#running.has(claimed)) return;
    await this.#record(claimed, () => (isDone ? this.#store.finish(claimed, job) : this.#store.postpone(claimed, job)));
    this.#running.delete(claimed);
    this.#placeFreed.resolve();
  }

  async #record({ task }: ClaimedJob, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      if (findOutage(error) !== undefined) return;
      this.#logger.error('job not recorded', { job: task, error: nameOf(error) });
    });
  }
}
