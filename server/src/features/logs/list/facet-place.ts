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
export interface FacetPlace {
  readonly entityType: string;
  readonly minute: number;
  /** The expected number of records in this place. */
  readonly records: number;
}

export const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Returns the minutes of these hours that can contain matching records, newest first. */
export function toPlaces(hours: readonly FacetHour[], filter: LogFilter, after: LogCursor | undefined): FacetPlace[] {
  const from = filter.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const to = Math.min(filter.to?.getTime() ?? Number.POSITIVE_INFINITY, endOf(after));
  const places = hours.flatMap(({ entityType, hour, records, minutes }) => {
    const bits = BigInt(minutes);
    const set = Array.from({ length: 60 }, (_, minute) => minute).filter((minute) => (bits >> BigInt(minute)) & 1n);
    return set
      .map((minute) => ({ entityType, minute: hour.getTime() + minute * minuteMs, records: records / set.length }))
      .filter(({ minute }) => minute < to && minute + minuteMs > from);
  });
  return places.toSorted((a, b) => b.minute - a.minute);
}

/**
 * Returns the first places that are expected to contain `needed` records, limited to `placesMax`. All kinds of the same
 * minute stay together, even if this exceeds the limit.
 */
export function takeExpected(
  places: readonly FacetPlace[],
  { needed, placesMax }: { readonly needed: number; readonly placesMax: number },
): readonly FacetPlace[] {
  let expected = 0;
  const end = places.findIndex(({ minute, records }, index) => {
    const isEnough = expected >= needed || index >= placesMax;
    if (isEnough && minute !== places[index - 1]?.minute) return true;
    expected += records;
    return false;
  });
  return end === -1 ? places : places.slice(0, end);
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
