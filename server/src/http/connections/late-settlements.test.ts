import { expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { LateSettlements } from './late-settlements.ts';

it('what an outage kept from being recorded is tried again until it succeeds, and not after', async () => {
  const settlements = new LateSettlements();
  let attempts = 0;
  settlements.add(() => {
    attempts += 1;
    return attempts < 2 ? Promise.reject(new Error('No database.')) : Promise.resolve();
  });
  await untilTrue(() => attempts === 2, { waitingFor: 'a second attempt' });
  let others = 0;
  settlements.add(() => Promise.resolve(void (others += 1)));
  await untilTrue(() => others === 1, { waitingFor: 'another one' });
  expect(attempts).toBe(2);
});

it('no more than a thousand wait', async () => {
  const settlements = new LateSettlements();
  let tried = 0;
  for (let count = 0; count < 1_200; count += 1) settlements.add(() => Promise.resolve(void (tried += 1)));
  await untilTrue(() => tried === 1_000, { waitingFor: 'a thousand attempts' });
  // There is room for another one now.
  settlements.add(() => Promise.resolve(void (tried += 1)));
  await untilTrue(() => tried === 1_001, { waitingFor: 'one more' });
});
