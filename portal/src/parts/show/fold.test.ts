import { expect, it } from 'vitest';
import { byDay, fold, isPageView } from './fold';

const at = (minute: number, day = 18) => new Date(2026, 10, day, 12, 60 - minute).toISOString();
const view = (minute: number, day?: number) => ({
  actor_id: 'mara',
  actor_type: 'user',
  operation: 'read',
  outcome: 'success',
  transform: 'mask',
  created_at: at(minute, day),
});
const read = (minute: number) => ({ ...view(minute), actor_id: 'desk', actor_type: 'application' });

it('folds page views of all members between two other records, and drops none', () => {
  const records = [read(1), view(2), { ...view(3), actor_id: 'tobias' }, view(4), { ...read(5), transform: 'reveal' }];
  const folds = fold(records);
  expect(folds.map(({ kind, records: { length } }) => [kind, length])).toEqual([
    ['record', 1],
    ['views', 3],
    ['record', 1],
  ]);
  expect(folds.flatMap((one) => one.records)).toEqual(records);
});

it('folds what somebody does again and again, but not two or three times', () => {
  const few = [read(1), read(2), read(3)];
  expect(fold(few).map(({ kind }) => kind)).toEqual(['record', 'record', 'record']);
  expect(fold([...few, read(4)]).map(({ kind }) => kind)).toEqual(['repeats']);
  expect(fold([...few, { ...read(4), destination: 'a.example' }])).toHaveLength(4);
});

it('folds nothing across days', () => {
  const folds = fold([view(1, 18), view(2, 18), view(1, 17)]);
  expect(folds.map(({ records: { length } }) => length)).toEqual([2, 1]);
  expect(byDay(folds)).toHaveLength(2);
});

it('takes for a page view only what changes, refuses, reveals and downloads nothing', () => {
  expect(isPageView(view(1))).toBe(true);
  for (const other of [
    { transform: 'reveal' },
    { outcome: 'denied' },
    { outcome: 'missed' },
    { operation: 'delete' },
    { actor_type: 'application' },
    { details: { via: 'download' } },
  ]) {
    expect(isPageView({ ...view(1), ...other })).toBe(false);
  }
});
