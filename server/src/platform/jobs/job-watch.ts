import { reasonOf } from '../../core/errors/operator-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics, Readings } from '../telemetry/metrics.ts';
import { endWith, type Tracer } from '../telemetry/tracer.ts';
import { withinTime } from '../waiting/within-time.ts';
import type { Job, ScheduledJob } from './job.ts';
import { runWithin } from './job-limit.ts';
import type { JobLag } from './job-store.ts';

/**
 * The label of a job's series. It is not `job`, because Prometheus itself adds a label of that name to every series,
 * with the kind of process that was scraped.
 */
const taskLabel = 'task';
/** The time after which a scrape stops waiting for a database that does not respond. */
const lagTimeoutMs = 1_000;

/** A job whose runs never exceed their time limit. */
export type WatchedJob = ScheduledJob & { run(payload: unknown): Promise<void> };

/**
 * Wraps jobs with logging, counting, tracing and a time limit. Scheduled jobs also report the time since their last
 * success in this process. Another worker may have succeeded since.
 */
export function watchSuccess(
  jobs: readonly Job[],
  limitMs: number,
  { logger, metrics, tracer }: { readonly logger: Logger; readonly metrics: Metrics; readonly tracer: Tracer },
): WatchedJob[] {
  const startedAt = performance.now();
  const succeededAt = new Map<string, number>();
  const idleSeconds = (name: string) => (performance.now() - (succeededAt.get(name) ?? startedAt)) / 1_000;
  const scheduled = jobs.filter(({ schedule }) => schedule !== undefined);
  metrics.addGauges(
    'strongroom_job_idle_seconds',
    'Time since the job last went well in this process, or since the process began.',
    taskLabel,
    () => new Map(scheduled.map(({ name }) => [name, idleSeconds(name)])),
  );
  metrics.addGauges(
    'strongroom_job_interval_seconds',
    'How often the job is scheduled to run.',
    taskLabel,
    () => new Map(scheduled.map(({ name, schedule }) => [name, (schedule?.everyMinutes ?? 0) * 60])),
  );
  const runs = metrics.addCounter('strongroom_job_runs_total', 'Runs of jobs in this process.', [taskLabel, 'outcome']);
  // The counters start at 0, so that the first failure is visible as an increase.
  for (const { name } of jobs) for (const outcome of ['done', 'failed']) runs.inc({ [taskLabel]: name, outcome }, 0);
  return jobs.map((job) => ({
    name: job.name,
    ...(job.schedule === undefined ? {} : { schedule: job.schedule }),
    run: async (payload) => {
      try {
        await attempt(job, logger, () => runTraced(job, tracer, () => runWithin(job, payload, limitMs)));
      } catch (error) {
        runs.inc({ [taskLabel]: job.name, outcome: 'failed' }, 1);
        throw error;
      }
      runs.inc({ [taskLabel]: job.name, outcome: 'done' }, 1);
      succeededAt.set(job.name, performance.now());
    },
  }));
}

/** Reports how long jobs have been due. All workers share the queue, so each of them reports the same values. */
export function watchLag(jobs: readonly Job[], list: () => Promise<readonly JobLag[]>, metrics: Metrics): void {
  metrics.addGauges(
    'strongroom_job_lag_seconds',
    'How long the job has been due in the queue without a worker taking it; 0 if it is not due.',
    taskLabel,
    async (): Promise<Readings> => {
      const lags = await withinTime(list(), lagTimeoutMs, 'The queue did not respond in time.');
      // This includes tasks that this worker does not run, such as mail if it has no mail server.
      return new Map([
        ...jobs.map(({ name }) => [name, 0] as const),
        ...lags.map(({ task, seconds }) => [task, seconds] as const),
      ]);
    },
  );
}

/** Runs a job in its own trace. */
function runTraced({ name }: Job, tracer: Tracer, run: () => Promise<void>): Promise<void> {
  const describe = () => ({ name: `job ${name}`, attributes: { 'strongroom.job': name } });
  const span = tracer.start({ kind: 'job', describe });
  return endWith(span, tracer.within(span, run));
}

async function attempt(job: Job, logger: Logger, run: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  try {
    await run();
    logger.info('job done', { job: job.name, duration_ms: Math.round(performance.now() - startedAt) });
  } catch (error) {
    const duration = Math.round(performance.now() - startedAt);
    logger.error('job failed', { job: job.name, error: reasonOf(error), duration_ms: duration });
    throw error;
  }
}
