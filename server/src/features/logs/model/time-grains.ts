/** The intervals of counters, coarsest first. UTC days, hours and minutes all begin at whole multiples since 1970. */
const grains = [
  { grain: 'day', milliseconds: 86_400_000 },
  { grain: 'hour', milliseconds: 3_600_000 },
  { grain: 'minute', milliseconds: 60_000 },
] as const;

export interface Segment {
  readonly grain: (typeof grains)[number]['grain'] | 'none';
  /** A half-open range in milliseconds since 1970. It is infinite if there is no bound. */
  readonly from: number;
  readonly to: number;
}

/** The finest interval that has counters. */
export type FinestGrain = 'hour' | 'minute';

/**
 * Splits a time into whole days, hours and possibly minutes, which have counters. The remainder at either end is
 * shorter than the finest interval (`none`), so its records have to be counted individually.
 */
export function splitTime(from: number, to: number, finest: FinestGrain, level = 0): Segment[] {
  if (from >= to) return [];
  const unit = grains[level];
  if (unit === undefined || grains[level - 1]?.grain === finest) return [{ grain: 'none', from, to }];
  const first = Math.ceil(from / unit.milliseconds) * unit.milliseconds;
  const last = Math.floor(to / unit.milliseconds) * unit.milliseconds;
  if (first >= last) return splitTime(from, to, finest, level + 1);
  return [
    ...splitTime(from, first, finest, level + 1),
    { grain: unit.grain, from: first, to: last },
    ...splitTime(last, to, finest, level + 1),
  ];
}
