import type { Schemas } from '../api/client';
import { toIntervalLabel } from './scale';
import type { Bar, Series } from './stacked-bars';

/** How much was seen, from the base line upwards, and what was refused below it. Together they are all records. */
export const sightSeries: readonly Series[] = [
  { name: 'plaintext', label: 'Plaintext', tone: 'plaintext' },
  { name: 'masked', label: 'Masked', tone: 'masked' },
  { name: 'none', label: 'No data', tone: 'none' },
  { name: 'denied', label: 'Denied or not found', tone: 'denied', isBelow: true },
];

/**
 * Combines counts by view and counts by outcome into bars. A record that was refused shows nothing, so the remaining
 * records without a view are those that concern no data.
 */
export function toSightBars(sights: Schemas['LogCounts'], outcomes: Schemas['LogCounts']): Bar[] {
  const refused = new Map(
    outcomes.buckets.map(({ start, counts }) => [start, of(counts, 'denied') + of(counts, 'missed')]),
  );
  return sights.buckets.map(({ start, total, counts }) => {
    const [plaintext, masked, denied] = [of(counts, 'reveal'), of(counts, 'mask'), refused.get(start) ?? 0];
    return {
      key: start,
      label: toIntervalLabel(new Date(start), sights.interval),
      values: { plaintext, masked, denied, none: Math.max(0, total - plaintext - masked - denied) },
    };
  });
}

function of(counts: readonly Schemas['LogValueCount'][], wanted: string): number {
  return counts.find(({ value }) => value === wanted)?.records ?? 0;
}

/** Sums one series over all bars. */
export function sumOf(bars: readonly Bar[], name: string): number {
  return bars.reduce((sum, { values }) => sum + (values[name] ?? 0), 0);
}

/** Returns one series as a line. */
export function lineOf(bars: readonly Bar[], name: string): number[] {
  return bars.map(({ values }) => values[name] ?? 0);
}
