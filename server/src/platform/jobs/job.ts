import type { Schedule } from './schedule.ts';

/** A piece of background work: safe to run twice, bounded per run, retried with growing pauses until it succeeds. */
export interface Job {
  readonly name: string;
  /** When it runs by itself; a job without runs when it is enqueued. */
  readonly schedule?: Schedule;
  /** How long a run may take, if not as long as any other. What it has done until then stays done. */
  readonly limitMs?: number;
  /** To end soon after the signal. A run that does not is left to itself, and the job is retried. */
  run(payload: unknown, signal?: AbortSignal): Promise<void>;
}

/** What the queue knows of a job. */
export type ScheduledJob = Pick<Job, 'name' | 'schedule'>;
