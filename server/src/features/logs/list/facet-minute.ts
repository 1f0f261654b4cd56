import type { LogCursor, LogFilter } from '../model/log.ts';
import { endOf } from '../model/log-cursor.ts';

/** A kind of entity in an hour in which the values occur. */
export interface FacetHour {
  readonly entityType: string;
  readonly hour: Date;
  readonly records: number;
  /** Bit n is set if all of the values occur in minute n, though perhaps not in the same record. */
  readonly minutes: string;
}

/** A kind of entity in a minute, which is a range of the primary key. */
export interface FacetMinute {
  readonly entityType: string;
  readonly minute: number;
  /** The expected number of records in this minute. */
  readonly records: number;
}

export const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Returns the minutes of these hours that can contain matching records, newest first. */
export function toMinutes(hours: readonly FacetHour[], filter: LogFilter, after: LogCursor | undefined): FacetMinute[] {
  const from = filter.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const to = Math.min(filter.to?.getTime() ?? Number.POSITIVE_INFINITY, endOf(after));
  const facetMinutes = hours.flatMap(({ entityType, hour, records, minutes }) => {
    const bits = BigInt(minutes);
    const set = Array.from({ length: 60 }, (_, minute) => minute).filter((minute) => (bits >> BigInt(minute)) & 1n);
    return set
      .map((minute) => ({ entityType, minute: hour.getTime() + minute * minuteMs, records: records / set.length }))
      .filter(({ minute }) => minute < to && minute + minuteMs > from);
  });
  return facetMinutes.toSorted((a, b) => b.minute - a.minute);
}

/**
 * Returns the first facetMinutes that are expected to contain `needed` records, limited to `minutesMax`. All kinds of
 * the same minute stay together, even if this exceeds the limit.
 */
export function takeExpected(
  facetMinutes: readonly FacetMinute[],
  { needed, minutesMax }: { readonly needed: number; readonly minutesMax: number },
): readonly FacetMinute[] {
  let expected = 0;
  const end = facetMinutes.findIndex(({ minute, records }, index) => {
    const isEnough = expected >= needed || index >= minutesMax;
    if (isEnough && minute !== facetMinutes[index - 1]?.minute) return true;
    expected += records;
    return false;
  });
  return end === -1 ? facetMinutes : facetMinutes.slice(0, end);
}

/** Returns the end of the last hour that can contain matching records. */
export function endHour({ to }: LogFilter, after: LogCursor | undefined): Date | undefined {
  const end = Math.min(to?.getTime() ?? Number.POSITIVE_INFINITY, endOf(after));
  return Number.isFinite(end) ? new Date(Math.ceil(end / hourMs) * hourMs) : undefined;
}

/** Returns an exclusive lower bound, in milliseconds since 1970, for the hours that can contain matching records. */
export function beforeFirstHour({ from }: LogFilter): number | undefined {
  return from === undefined ? undefined : from.getTime() - hourMs;
}
