import { nameOf } from '../../core/errors/thrown.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Job } from './job.ts';

/** The same jobs, logged; those that run by themselves also tell how long ago they went well. Any worker may have been the one. */
export function watchSuccess(jobs: readonly Job[], logger: Logger, metrics: Metrics): Job[] {
  const startedAt = performance.now();
  const succeededAt = new Map<string, number>();
  const idleSeconds = (name: string) => () => (performance.now() - (succeededAt.get(name) ?? startedAt)) / 1_000;
  metrics.addGauges(
    'strongroom_job_idle_seconds',
    'Time since the job last went well in this process, or since the process began.',
    'job',
    new Map(jobs.filter(({ schedule }) => schedule !== undefined).map(({ name }) => [name, idleSeconds(name)])),
  );
  return jobs.map((job) => ({
    ...job,
    run: async (payload) => {
      await attempt(job, payload, logger);
      succeededAt.set(job.name, performance.now());
    },
  }));
}

async function attempt(job: Job, payload: unknown, logger: Logger): Promise<void> {
  const startedAt = performance.now();
  try {
    await job.run(payload);
    logger.info('job done', { job: job.name, duration_ms: Math.round(performance.now() - startedAt) });
  } catch (error) {
    logger.error('job failed', { job: job.name, error: nameOf(error) });
    throw error;
  }
}
