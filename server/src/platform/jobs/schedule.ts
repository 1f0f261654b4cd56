const minuteMs = 60_000;

/**
 * An interval in minutes, counted from the Unix epoch. `{ everyMinutes: 60, atMinute: 17 }` means 17 minutes past every
 * hour.
 */
export interface Schedule {
  readonly everyMinutes: number;
  readonly atMinute: number;
}

/** Returns the first time after `since`. If several runs were missed, a single run makes up for all of them. */
export function nextTime({ everyMinutes, atMinute }: Schedule, since: Date): Date {
  const minutes = since.getTime() / minuteMs - atMinute;
  return new Date(((Math.floor(minutes / everyMinutes) + 1) * everyMinutes + atMinute) * minuteMs);
}
