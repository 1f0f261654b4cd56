import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';

/*
 * A tenant points all of its endpoints at one host and has many events. Eight requests to each were in flight at the same
 * time, which is hundreds for the host, and as many that other tenants shared the worker with.
 */
const endpoints = 50;
const stored = 12;
/** The limit leaves room for the first endpoints, each of which may have more requests in flight while they are few. */
const inFlightMax = 220;

let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start({ hasWorker: false });
});
afterAll(() => events.stop());

it('the endpoints of one tenant share the requests that are in flight', async () => {
  const { receiver, url } = events;
  const gate = Promise.withResolvers<{ status: number }>();
  receiver.react = () => gate.promise;
  for (let count = 0; count < endpoints; count += 1) await events.subscribe({ url: `${url}/${count}` });
  await Promise.all(Array.from({ length: stored }, (_, index) => events.proxy.store(index)));
  await events.startWorker();
  const reached = () => new Set(receiver.messages.map(({ path }) => path)).size;
  await untilTrue(() => reached() === endpoints, { waitingFor: 'a request to each endpoint' });
  expect(receiver.messages.length).toBeLessThan(inFlightMax);
  gate.resolve({ status: 204 });
  await untilTrue(() => receiver.messages.length === endpoints * stored, { waitingFor: 'every event' });
});
