const minuteMs = 60_000;

/**
 * An interval in minutes, counted from midnight UTC of 1970. `{ everyMinutes: 60, atMinute: 17 }` is 17 past every
 * hour.
 */
export interface Schedule {
  readonly everyMinutes: number;
  readonly atMinute: number;
}

/** Returns the first time after `since`. However many runs were missed, one run makes up for all of them. */
export function nextTime({ everyMinutes, atMinute }: Schedule, since: Date): Date {
  const minutes = since.getTime() / minuteMs - atMinute;
  return new Date(((Math.floor(minutes / everyMinutes) + 1) * everyMinutes + atMinute) * minuteMs);
}
