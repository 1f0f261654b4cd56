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
  /**
   * How many runs a process has under way at the same time, if the job has groups. Each run is started and recorded on
   * its own, and there is one at a time for each group. Tenants that the payloads name as `tenant_id` share the slots.
   * Its queue must have the policy `stately`.
   */
  readonly slots?: number;
  /** Called whenever jobs of this kind were enqueued. */
  readonly onNotified?: () => void;
  /** Runs the job. It should end soon after the signal; otherwise the run is abandoned and the job is retried. */
  run(payload: unknown, signal?: AbortSignal): Promise<void>;
}

/**
 * An interval in minutes. It divides an hour, or is an hour or a day. `{ everyMinutes: 60, atMinute: 17 }` means 17
 * minutes past every hour.
 */
export interface Schedule {
  readonly everyMinutes: number;
  readonly atMinute: number;
}

/** Returns the schedule as a cron expression in UTC. */
export function toCron({ everyMinutes, atMinute }: Schedule): string {
  if (everyMinutes === 24 * 60) return `${atMinute % 60} ${Math.floor(atMinute / 60)} * * *`;
  if (60 % everyMinutes !== 0)
    throw new RangeError('The interval of a schedule must be a divisor of an hour, or a day.');
  return `${atMinute % everyMinutes}-59/${everyMinutes} * * * *`;
}
