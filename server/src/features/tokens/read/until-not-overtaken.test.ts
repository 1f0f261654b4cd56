import { describe, expect, it } from 'vitest';
import { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { untilNotOvertaken } from './until-not-overtaken.ts';

/** Returns an attempt that fails this many times and then succeeds. */
const winning = (losses: number) => {
  let attempts = 0;
  return () => {
    attempts += 1;
    return Promise.resolve(attempts > losses ? attempts : undefined);
  };
};

describe('a request that others overtake', () => {
  it('gets its turn within some attempts, even if no time is left', async () => {
    expect(await untilNotOvertaken(winning(19), new TimeBudget(0))).toBe(20);
  });

  it('goes on for as long as there is time, however often it lost', async () => {
    expect(await untilNotOvertaken(winning(60), new TimeBudget(1, () => 0))).toBe(61);
  });

  it('gives up with a conflict when neither is left', async () => {
    await expect(untilNotOvertaken(winning(20), new TimeBudget(0))).rejects.toMatchObject({ code: 'version-conflict' });
  });
});
