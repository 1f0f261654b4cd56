import { expect, it } from 'vitest';
import { pickPlaces, roundUp } from './scale';

it.each([
  [0, 1],
  [1, 1],
  [7, 8],
  [11, 20],
  [950, 1_000],
  [1_234, 2_000],
])('rounds %d up to %d', (value, round) => {
  expect(roundUp(value)).toBe(round);
});

it('spreads labels evenly, and never more than there are', () => {
  expect(pickPlaces(24, 6)).toEqual([0, 4, 8, 12, 16, 20]);
  expect(pickPlaces(3, 10)).toEqual([0, 1, 2]);
  expect(pickPlaces(0, 5)).toEqual([]);
});
