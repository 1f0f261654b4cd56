import type { Schedule } from './schedule.ts';

/** A piece of background work: safe to run twice, bounded per run, retried with growing pauses until it succeeds. */
export interface Job {
  readonly name: string;
  /** When it runs by itself; a job without runs when it is enqueued. */
  readonly schedule?: Schedule;
  run(payload: unknown): Promise<void>;
}
