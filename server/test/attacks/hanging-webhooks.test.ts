import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';

// A tenant has as many endpoints as it may, and none of them ever responds. Each holds a slot of the worker until its
// requests are late. The endpoint of another tenant must not wait for them.

const endpoints = 100;
/** Requests are late after 15 seconds. With too few slots, the other tenant waits for that. */
const deadlineMs = 12_000;

let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start();
});
afterAll(() => events.stop());

it('endpoints of a tenant that never respond do not delay those of another', async () => {
  const { receiver, vault, url } = events;
  receiver.react = ({ path }) => (path === '/other' ? { status: 204 } : 'hang');
  const other = await vault.makeTenant();
  await events.subscribe({ url: `${url}/other` }, other.keys.management);
  for (let count = 0; count < endpoints; count += 1) await events.subscribe({ url: `${url}/hang/${count}` });
  await events.proxy.store('held');
  await untilTrue(() => receiver.messages.length >= endpoints * 0.6, { waitingFor: 'most of the requests that hang' });

  const body = { type: 'token', data: 'other' };
  expect((await vault.request('POST', '/tokens', { key: other.keys.private, body })).status).toBe(201);
  await untilTrue(() => receiver.at('/other').length > 0, { waitingFor: 'the event of the other tenant', deadlineMs });
});
