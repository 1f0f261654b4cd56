import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { type Interval, listStarts, toCountRange, toWholeHours } from './log-count-range.ts';

const now = Date.parse('2026-03-09T10:20:30Z');
const range = (from?: string, to?: string, interval?: Interval) => {
  const dates = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  const found = toCountRange({ ...dates, interval }, now);
  return [
    found.interval,
    new Date(found.from).toISOString(),
    new Date(found.to).toISOString(),
    listStarts(found).length,
  ];
};

describe('the intervals of a count', () => {
  it('are the hours of the last seven days by default', () => {
    expect(range()).toEqual(['hour', '2026-03-02T10:00:00.000Z', '2026-03-09T11:00:00.000Z', 169]);
  });

  it('are days of a longer time, and whole ones', () => {
    expect(range('2026-03-01T01:00:00Z', '2026-03-08T01:00:00.001Z')).toEqual([
      'day',
      '2026-03-01T00:00:00.000Z',
      '2026-03-09T00:00:00.000Z',
      8,
    ]);
    expect(range('2026-03-01', '2026-03-08')).toEqual([
      'hour',
      '2026-03-01T00:00:00.000Z',
      '2026-03-08T00:00:00.000Z',
      168,
    ]);
    expect(range('2026-03-01T05:00:00Z', '2026-03-01T06:00:00Z', 'day')[3]).toBe(1);
  });

  it('are at most 750', () => {
    expect(range('2026-01-01T00:00:00Z', '2026-02-01T06:00:00Z', 'hour')[3]).toBe(750);
    expect(() => range('2026-01-01T00:00:00Z', '2026-02-01T06:00:00.001Z', 'hour')).toThrow(DomainError);
    expect(() => range('2000-01-01')).toThrow(DomainError);
  });

  it('are none of a time that ends before it begins', () => {
    expect(() => range('2026-03-02', '2026-03-02')).toThrow(DomainError);
    expect(() => range('2026-04-02')).toThrow(DomainError);
  });

  it('are whole hours of any length where nothing is listed by hour', () => {
    const hours = toWholeHours({ from: new Date('2001-01-01T00:30:00Z'), to: undefined }, now);
    expect([hours.from, hours.to]).toEqual([Date.parse('2001-01-01T00:00:00Z'), Date.parse('2026-03-09T11:00:00Z')]);
  });
});
