import { reasonOf } from '../../core/errors/operator-error.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics, Readings } from '../telemetry/metrics.ts';
import { endWith, type Tracer } from '../telemetry/tracer.ts';
import { scrapeTimeoutMs, withinScrape } from '../waiting/within-scrape.ts';
import type { Job } from './job.ts';
import { runWithin } from './job-limit.ts';
import { listTasks, type TaskStatus } from './queue-status.ts';

/**
 * The label of a job's series. It is not `job`, because Prometheus itself adds a label of that name to every series,
 * with the kind of process that was scraped.
 */
const taskLabel = 'task';

/** A job whose runs never exceed their time limit. */
export interface WatchedJob extends Job {
  readonly limitMs: number;
}

/**
 * Wraps jobs with logging, counting, tracing and a time limit. Scheduled jobs also report the time since their last
 * success in this process. Another worker may have succeeded since.
 */
export function watchRuns(
  jobs: readonly Job[],
  defaultLimitMs: number,
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
  let running = 0;
  metrics.addGauge('strongroom_jobs_running', 'Jobs under way in this process.', () => running);
  return jobs.map((job) => {
    const limitMs = job.limitMs ?? defaultLimitMs;
    const run = async (payload: unknown, signal?: AbortSignal): Promise<void> => {
      running += 1;
      try {
        await attempt(job, logger, () => runTraced(job, tracer, () => runWithin(job, payload, { limitMs, signal })));
      } catch (error) {
        runs.inc({ [taskLabel]: job.name, outcome: 'failed' }, 1);
        throw error;
      } finally {
        running -= 1;
      }
      runs.inc({ [taskLabel]: job.name, outcome: 'done' }, 1);
      succeededAt.set(job.name, performance.now());
    };
    return { ...job, limitMs, run };
  });
}

/**
 * Reports how long jobs have been due, and how many have failed for good. All workers share the queue, so each of them
 * reports the same values. They include tasks that this worker does not run, such as mail if it has no mail server.
 */
export function watchQueue(jobs: readonly Job[], database: Database, metrics: Metrics): void {
  let last: { readonly at: number; readonly tasks: Promise<TaskStatus[]> } | undefined;
  // The gauges of one scrape share a reading.
  const list = () => {
    if (last === undefined || performance.now() - last.at > scrapeTimeoutMs) {
      last = { at: performance.now(), tasks: listTasks(database) };
    }
    return withinScrape(last.tasks, 'The queue did not respond in time.');
  };
  const addGauges = (name: string, help: string, valueOf: (status: TaskStatus) => number) =>
    metrics.addGauges(name, help, taskLabel, async (): Promise<Readings> => {
      const tasks = await list();
      const zeros = jobs.map((job) => [job.name, 0] as const);
      return new Map([...zeros, ...tasks.map((status) => [status.task, valueOf(status)] as const)]);
    });
  addGauges(
    'strongroom_job_lag_seconds',
    'How long the job has been due in the queue without a worker taking it; 0 if it is not due.',
    ({ lagSeconds }) => lagSeconds,
  );
  addGauges(
    'strongroom_job_dead_letters',
    'Jobs that failed at every attempt and wait for an operator to retry them.',
    ({ dead }) => dead,
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
