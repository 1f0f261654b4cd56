import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTime } from './schedule.ts';

describe('nextTime', () => {
  it.each([
    ['every minute', { everyMinutes: 1, atMinute: 0 }, '2026-11-15T12:00:30Z', '2026-11-15T12:01:00.000Z'],
    ['every five minutes', { everyMinutes: 5, atMinute: 0 }, '2026-11-15T12:04:59.999Z', '2026-11-15T12:05:00.000Z'],
    ['at 17 past, before', { everyMinutes: 60, atMinute: 17 }, '2026-11-15T12:16:59Z', '2026-11-15T12:17:00.000Z'],
    [
      'at 17 past, at that very moment',
      { everyMinutes: 60, atMinute: 17 },
      '2026-11-15T12:17:00Z',
      '2026-11-15T13:17:00.000Z',
    ],
    [
      'daily at 03:17, before',
      { everyMinutes: 24 * 60, atMinute: 3 * 60 + 17 },
      '2026-11-15T03:16:00Z',
      '2026-11-15T03:17:00.000Z',
    ],
    [
      'daily at 03:17, after',
      { everyMinutes: 24 * 60, atMinute: 3 * 60 + 17 },
      '2026-11-15T03:18:00Z',
      '2026-11-16T03:17:00.000Z',
    ],
    [
      'over the end of a leap year’s February',
      { everyMinutes: 24 * 60, atMinute: 0 },
      '2028-02-29T00:00:00Z',
      '2028-03-01T00:00:00.000Z',
    ],
  ])('%s', (_name, schedule, since, expected) => {
    expect(nextTime(schedule, new Date(since)).toISOString()).toBe(expected);
  });

  it('lies after the moment it is asked for, no further than one interval, and on the schedule', () => {
    const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_080 }), fc.nat(10_079), moments, (everyMinutes, at, since) => {
        const atMinute = at % everyMinutes;
        const next = nextTime({ everyMinutes, atMinute }, since).getTime();
        expect(next).toBeGreaterThan(since.getTime());
        expect(next - since.getTime()).toBeLessThanOrEqual(everyMinutes * 60_000);
        expect((next / 60_000 - atMinute) % everyMinutes).toBe(0);
      }),
    );
  });
});
