import { Logger as WorkerLogger, parseCronItems, run, type Runner, runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Job } from './job.ts';

const silent = new WorkerLogger(() => () => undefined);

/** Creates and updates the queue's own tables. */
export async function migrateJobQueue(ownerUrl: string): Promise<void> {
  await runMigrations({ connectionString: ownerUrl, logger: silent });
}

/** Takes jobs from the queue in this process; any number of processes may do so at the same time. */
export async function startJobRunner(options: {
  readonly ownerUrl: string;
  readonly jobs: readonly Job[];
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<{ stop(): Promise<void> }> {
  const { ownerUrl, jobs, logger } = options;
  const runWatched = watchSuccess(jobs, logger, options.metrics);
  // Our own pool: the queue's would lose its error listener while it stops, and a database that goes away at that moment
  // would end the process.
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 6, application_name: 'strongroom jobs' });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const runner: Runner = await run({
    pgPool: pool,
    concurrency: 4,
    noHandleSignals: true,
    logger: silent,
    taskList: Object.fromEntries(jobs.map((job) => [job.name, (payload: unknown) => runWatched(job, payload)])),
    parsedCronItems: parseCronItems(
      jobs.flatMap((job) =>
        job.cron === undefined ? [] : [{ task: job.name, match: job.cron, options: { backfillPeriod: 86_400_000 } }],
      ),
    ),
  }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    async stop() {
      try {
        await runner.stop();
      } finally {
        await pool.end();
      }
    },
  };
}

/** Runs jobs, and tells for those that run by themselves how long ago that went well. Any worker may have been the one. */
function watchSuccess(jobs: readonly Job[], logger: Logger, metrics: Metrics) {
  const startedAt = performance.now();
  const succeededAt = new Map<string, number>();
  const idleSeconds = (name: string) => () => (performance.now() - (succeededAt.get(name) ?? startedAt)) / 1_000;
  metrics.addGauges(
    'strongroom_job_idle_seconds',
    'Time since the job last succeeded in this process, or since the process started.',
    'job',
    new Map(jobs.filter(({ cron }) => cron !== undefined).map(({ name }) => [name, idleSeconds(name)])),
  );
  return async (job: Job, payload: unknown): Promise<void> => {
    await attempt(job, payload, logger);
    succeededAt.set(job.name, performance.now());
  };
}

async function attempt(job: Job, payload: unknown, logger: Logger): Promise<void> {
  const startedAt = performance.now();
  try {
    await job.run(payload);
    logger.info('job done', { job: job.name, duration_ms: Math.round(performance.now() - startedAt) });
  } catch (error) {
    logger.error('job failed', { job: job.name, error: error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}
