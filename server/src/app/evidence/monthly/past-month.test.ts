import { describe, expect, it } from 'vitest';
import { pastMonth, periodOf } from './past-month.ts';

describe('the past month', () => {
  it.each([
    ['2026-11-01T00:00:00Z', '2026-10'],
    ['2026-10-31T23:59:59.999Z', '2026-09'],
    ['2027-01-31T12:00:00Z', '2026-12'],
    ['2026-03-31T12:00:00Z', '2026-02'],
  ])('at %s is %s', (now, month) => {
    expect(pastMonth(new Date(now))).toBe(month);
  });

  it('begins with its first day and ends with the first of the next', () => {
    const from = new Date('2026-12-01T00:00:00Z');
    expect(periodOf('2026-12')).toEqual({ from, to: new Date('2027-01-01T00:00:00Z') });
  });
});
