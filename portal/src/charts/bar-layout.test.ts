import { expect, it } from 'vitest';
import { toBarLayout } from './bar-layout';
import type { Series } from './stacked-bars';

const series: readonly Series[] = [
  { name: 'plain', label: 'Plaintext', tone: 'plaintext' },
  { name: 'masked', label: 'Masked', tone: 'masked' },
  { name: 'denied', label: 'Denied', tone: 'denied', isBelow: true },
];
const bar = (values: Record<string, number>) => ({ key: 'day', label: 'Day', values });

it('puts the first series on the base line in every bar, and the refused ones below it', () => {
  const { bars, ticks } = toBarLayout([bar({ plain: 10, masked: 80 }), bar({ plain: 5, denied: 20 })], series, 120);
  const base = ticks.find(({ value }) => value === 0)?.y ?? 0;
  const feet = bars
    .map(({ parts }) => parts.find(({ name }) => name === 'plain'))
    .map((part) => (part?.y ?? 0) + (part?.height ?? 0));
  for (const foot of feet) expect(Math.abs(foot - base)).toBeLessThanOrEqual(1);
  expect(bars[1]?.parts.find(({ name }) => name === 'denied')?.y).toBeGreaterThan(base);
});

it('stays inside its height, and keeps a single record visible', () => {
  const { bars } = toBarLayout([bar({ plain: 1, masked: 100_000, denied: 1 })], series, 120);
  for (const { y, height } of bars[0]?.parts ?? []) {
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(121);
    expect(height).toBeGreaterThanOrEqual(1);
  }
  expect(bars[0]?.parts).toHaveLength(3);
});

it('names every value in the title of a bar', () => {
  const { bars } = toBarLayout([bar({ plain: 1_000 })], series, 120);
  expect(bars[0]?.title).toBe('Day: Plaintext 1,000, Masked 0, Denied 0');
});
