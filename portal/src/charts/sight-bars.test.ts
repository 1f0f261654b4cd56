import { expect, it } from 'vitest';
import type { Schemas } from '../api/client';
import { sumOf, toSightBars } from './sight-bars';

const counts = (total: number, values: Record<string, number>): Schemas['LogCounts'] => {
  const bucket = {
    start: '2026-11-18T00:00:00.000Z',
    total,
    counts: Object.entries(values).map(([value, records]) => ({ value, records })),
    other: 0,
  };
  const range = { from: bucket.start, to: '2026-11-19T00:00:00.000Z', interval: 'day' } as const;
  return { ...range, by: 'outcome', is_exact: true, total, buckets: [bucket], top: [], other: 0 };
};

it('adds up to the number of all records', () => {
  const bars = toSightBars(
    counts(100, { reveal: 3, mask: 60, redact: 5 }),
    counts(100, { success: 90, denied: 6, missed: 4 }),
  );
  expect(bars[0]?.values).toEqual({ plaintext: 3, masked: 60, denied: 10, none: 27 });
  expect(['plaintext', 'masked', 'denied', 'none'].reduce((sum, name) => sum + sumOf(bars, name), 0)).toBe(100);
});

it('never counts below zero while the two counts differ by a few records', () => {
  const [bar] = toSightBars(counts(5, { mask: 5 }), counts(6, { denied: 1 }));
  expect(bar?.values['none']).toBe(0);
});
