import { expect, it } from 'vitest';
import { ResponseBudget } from './response-budget.ts';

const takeAll = (budget: ResponseBudget, now: number) => {
  let taken = 0;
  while (budget.take(1, now)) taken += 1;
  return taken;
};

it('allows a burst, then a steady rate, and never saves up more than a burst', () => {
  const budget = new ResponseBudget(0);
  expect(takeAll(budget, 0)).toBe(512);
  expect(takeAll(budget, 1_000)).toBe(64);
  expect(takeAll(budget, 1_500)).toBe(32);
  expect(takeAll(budget, 3_600_000)).toBe(512);
});

it('takes nothing for an answer that does not fit', () => {
  const budget = new ResponseBudget(0);
  expect(budget.take(513, 0)).toBe(false);
  expect(budget.take(512, 0)).toBe(true);
});
