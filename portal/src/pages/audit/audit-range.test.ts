import { expect, it } from 'vitest';
import { toInterval, toTimeRange } from './audit-range';
import { parseAuditSearch } from './audit-search';

const now = Date.parse('2026-11-18T12:34:56Z');

it('begins on the hour, so that the same view keeps the same address', () => {
  expect(toTimeRange({ range: '24h' }, now)).toEqual({ start_date: '2026-11-17T12:00:00.000Z' });
  expect(toTimeRange({ range: 'unknown' }, now)).toEqual({ start_date: '2026-11-11T12:00:00.000Z' });
});

it('uses chosen times as they are', () => {
  expect(toTimeRange({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', range: '24h' }, now)).toEqual({
    start_date: '2026-01-01T00:00:00Z',
    end_date: '2026-01-02T00:00:00Z',
  });
});

it('counts by the hour for about a week, and by the day for longer', () => {
  expect(toInterval(toTimeRange({ range: '7d' }, now), now)).toBe('hour');
  expect(toInterval(toTimeRange({ range: '30d' }, now), now)).toBe('day');
});

it('ignores times in the address that are none', () => {
  expect(parseAuditSearch({ from: 'yesterday', to: '2026-01-02', outcome: 'denied', other: 'x' })).toEqual({
    from: undefined,
    to: '2026-01-02',
    outcome: 'denied',
  });
});
