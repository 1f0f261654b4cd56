import type { Schedule } from './schedule.ts';

/**
 * A unit of background work. It is safe to run twice, bounded per run, and retried with growing delays until it
 * succeeds.
 */
export interface Job {
  readonly name: string;
  /** The schedule. A job without one runs when it is enqueued. */
  readonly schedule?: Schedule;
  /** The time limit of a run, if it differs from the default. The work done by then is kept. */
  readonly limitMs?: number;
  /** Runs the job. It should end soon after the signal; otherwise the run is abandoned and the job is retried. */
  run(payload: unknown, signal?: AbortSignal): Promise<void>;
}

/** The parts of a job that the queue needs. */
export type ScheduledJob = Pick<Job, 'name' | 'schedule'>;
