/** A piece of background work: safe to run twice, bounded per run, retried with growing pauses when it fails. */
export interface Job {
  readonly name: string;
  /** When it runs by itself, in cron's notation and UTC; a job without runs when it is enqueued. */
  readonly cron?: string;
  run(payload: unknown): Promise<void>;
}
