import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitTime } from './time-grains.ts';

const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, none: 1 };

describe('splitTime', () => {
  it.each(['minute', 'hour'] as const)(
    'covers exactly the time, in whole units, and leaves less than one %s at either end',
    (finest) => {
      const instant = fc.integer({ min: 0, max: 2_000_000_000_000 });
      fc.assert(
        fc.property(instant, instant, (a, b) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const segments = splitTime(from, to, finest);
          expect(segments.reduce((sum, segment) => sum + segment.to - segment.from, 0)).toBe(to - from);
          let position = from;
          for (const segment of segments) {
            expect(segment.from).toBe(position);
            position = segment.to;
            const unit = units[segment.grain];
            expect(segment.from % unit).toBe(0);
            expect(segment.to % unit).toBe(0);
            if (segment.grain === 'none') expect(segment.to - segment.from).toBeLessThan(units[finest]);
          }
          // There are only a few ranges, even if the time is long.
          expect(segments.length).toBeLessThanOrEqual(7);
        }),
        { numRuns: 2_000 },
      );
    },
  );

  it('is one range without bounds, and nothing where the end is not after the start', () => {
    expect(splitTime(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 'minute')).toEqual([
      { grain: 'day', from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
    ]);
    expect(splitTime(5, 5, 'minute')).toEqual([]);
    expect(splitTime(6, 5, 'minute')).toEqual([]);
  });
});
