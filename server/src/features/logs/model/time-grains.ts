/** Counted in these, coarsest first. Days, hours and minutes of UTC all begin at whole multiples since 1970. */
const grains = [
  { grain: 'day', milliseconds: 86_400_000 },
  { grain: 'hour', milliseconds: 3_600_000 },
  { grain: 'minute', milliseconds: 60_000 },
] as const;

export interface Segment {
  readonly grain: (typeof grains)[number]['grain'] | 'none';
  /** Milliseconds since 1970, half open; infinite where there is no bound. */
  readonly from: number;
  readonly to: number;
}

/** The finest that there are counters for. */
export type FinestGrain = 'hour' | 'minute';

/**
 * Cuts a time into whole days, hours and perhaps minutes, which have counters, and less than the finest of these at either end
 * (`none`), where records have to be counted.
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
