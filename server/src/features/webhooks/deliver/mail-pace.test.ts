import { expect, it } from 'vitest';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { MailPace } from './mail-pace.ts';

const [one, other] = [crypto.randomUUID(), crypto.randomUUID()].map(parseTenantId) as [never, never];
const minuteMs = 60_000;

it('lets twenty mails of a tenant through in any hour, and those of others besides', () => {
  let now = 0;
  const pace = new MailPace(() => now);
  for (let count = 0; count < 20; count += 1) {
    expect(pace.count(one)).toBe(0);
    now += minuteMs;
  }
  expect(pace.count(one)).toBe(40 * 60);
  expect(pace.count(other)).toBe(0);
  now += 40 * minuteMs;
  expect(pace.count(one)).toBe(0);
  expect(pace.count(one)).toBe(60);
});

it('does not count a mail that could not be sent', () => {
  const pace = new MailPace(() => 0);
  for (let count = 0; count < 100; count += 1) {
    expect(pace.count(one)).toBe(0);
    pace.takeBack(one);
  }
});
