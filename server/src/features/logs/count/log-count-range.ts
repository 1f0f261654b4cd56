import { invalidField } from '../../../core/errors/domain-error.ts';

export const intervals = ['hour', 'day'] as const;
export type Interval = (typeof intervals)[number];

/** A half-open range of whole UTC intervals, in milliseconds since 1970. */
export interface CountRange {
  readonly interval: Interval;
  readonly from: number;
  readonly to: number;
}

export const intervalsMax = 750;
export const daysByDefault = 7;
const intervalMs: Readonly<Record<Interval, number>> = { hour: 3_600_000, day: 86_400_000 };

interface Asked {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly interval?: Interval | undefined;
}

/**
 * Returns the whole intervals that contain the requested time. The default is the last few days, counted by hour.
 * Longer periods are counted by day unless an interval is given.
 */
export function toCountRange(asked: Asked, now = Date.now()): CountRange {
  const { from, to } = toTime(asked, now);
  const interval = asked.interval ?? (to - from <= daysByDefault * intervalMs.day ? 'hour' : 'day');
  const range = widen({ interval, from, to });
  if (countIntervals(range) > intervalsMax)
    throw invalidField('start_date', `must be at most ${intervalsMax} intervals before end_date`);
  return range;
}

/** Returns the whole hours that contain the requested time. The length has no limit. */
export function toWholeHours(asked: Asked, now = Date.now()): CountRange {
  return widen({ interval: 'hour', ...toTime(asked, now) });
}

export function listStarts({ interval, from, to }: CountRange): number[] {
  const count = countIntervals({ interval, from, to });
  return Array.from({ length: count }, (_, index) => from + index * intervalMs[interval]);
}

function toTime({ from, to }: Asked, now: number): { from: number; to: number } {
  const end = to?.getTime() ?? now;
  const start = from?.getTime() ?? end - daysByDefault * intervalMs.day;
  if (start >= end) throw invalidField('start_date', 'must be before end_date');
  return { from: start, to: end };
}

function widen({ interval, from, to }: CountRange): CountRange {
  const unit = intervalMs[interval];
  return { interval, from: Math.floor(from / unit) * unit, to: Math.ceil(to / unit) * unit };
}

function countIntervals({ interval, from, to }: CountRange): number {
  return (to - from) / intervalMs[interval];
}
