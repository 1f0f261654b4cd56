import { Logger as WorkerLogger, parseCronItems, run, type Runner, runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
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
}): Promise<{ stop(): Promise<void> }> {
  const { ownerUrl, jobs, logger } = options;
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
    taskList: Object.fromEntries(jobs.map((job) => [job.name, (payload: unknown) => attempt(job, payload, logger)])),
    parsedCronItems: parseCronItems(
      jobs.flatMap((job) =>
        job.cron === undefined ? [] : [{ task: job.name, match: job.cron, options: { backfillPeriod: 86_400_000 } }],
      ),
    ),
  });
  return {
    async stop() {
      await runner.stop();
      await pool.end();
    },
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
