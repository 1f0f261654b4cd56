import type { AuditSearch } from './audit-search';

const hour = 3_600_000;
const day = 24 * hour;

/** Time ranges to choose from. The first is the default. */
export const ranges = [
  { name: '7d', label: 'Last 7 days', length: 7 * day },
  { name: '24h', label: 'Last 24 hours', length: day },
  { name: '30d', label: 'Last 30 days', length: 30 * day },
  { name: '90d', label: 'Last 90 days', length: 90 * day },
] as const;

export interface TimeRange {
  readonly start_date: string;
  readonly end_date?: string;
}

/**
 * Returns the chosen times, or a range that ends now. A range starts on the hour, so that the same view keeps the same
 * address.
 */
export function toTimeRange({ range, from, to }: AuditSearch, now = Date.now()): TimeRange {
  if (from !== undefined) return { start_date: from, ...(to === undefined ? {} : { end_date: to }) };
  const { length } = ranges.find(({ name }) => name === range) ?? ranges[0];
  return { start_date: new Date(Math.floor((now - length) / hour) * hour).toISOString() };
}

const hoursMax = 8 * day;

/** Returns hours for ranges of up to about a week, and days for longer ranges. */
export function toInterval({ start_date: start, end_date: end }: TimeRange, now = Date.now()): 'hour' | 'day' {
  return (end === undefined ? now : Date.parse(end)) - Date.parse(start) <= hoursMax ? 'hour' : 'day';
}
