import { expect, it } from 'vitest';
import { Gathering } from './gathering.ts';

const hour = 3_600_000;

it('is complete at once when nobody else is there', async () => {
  await new Gathering().complete(0, hour);
});

it('counts every server once, also those that answered before it was known how many there are', async () => {
  const gathering = new Gathering();
  gathering.heard('a');
  gathering.heard('a');
  let isComplete = false;
  const completing = gathering.complete(2, hour).then(() => {
    isComplete = true;
  });
  gathering.heard('a');
  await Promise.resolve();
  expect(isComplete).toBe(false);
  gathering.heard('b');
  await completing;
  gathering.heard('c');
});

it('does not wait for ever for one that does not answer', async () => {
  await new Gathering().complete(1, 1);
});
