import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';

// Four tenants have as many endpoints as they may, which is more than a worker has slots, and none of them ever responds.
// Each would hold a slot of the worker until its requests are late. The endpoints of another tenant must not wait for them.

const tenants = 4;
const endpoints = 100;
/** The four tenants get about this many of the 384 slots, however they take turns. */
const heldMin = 240;
/** Requests are late after 15 seconds. With no free slot, the other tenant waits for that. */
const deadlineMs = 12_000;

let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start();
});
afterAll(() => events.stop());

it('endpoints of several tenants that never respond do not delay those of another', async () => {
  const { receiver, vault, url } = events;
  receiver.react = ({ path }) => (path.startsWith('/other') ? { status: 204 } : 'hang');
  const store = async (key: string) => {
    const { status } = await vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'any' } });
    expect(status).toBe(201);
  };
  const other = await vault.makeTenant();
  for (let count = 0; count < 10; count += 1)
    await events.subscribe({ url: `${url}/other/${count}` }, other.keys.management);
  const hanging = await Promise.all(Array.from({ length: tenants }, () => vault.makeTenant()));
  await Promise.all(
    hanging.map(async ({ keys }, tenant) => {
      for (let count = 0; count < endpoints; count += 1)
        await events.subscribe({ url: `${url}/hang/${tenant}/${count}` }, keys.management);
    }),
  );
  await Promise.all(hanging.map(({ keys }) => store(keys.private)));
  const held = () => new Set(receiver.messages.map(({ path }) => path)).size;
  await untilTrue(() => held() >= heldMin, { waitingFor: 'the requests that hang' });

  await store(other.keys.private);
  const arrived = () => new Set(receiver.messages.map(({ path }) => path).filter((path) => path.startsWith('/other/')));
  await untilTrue(() => arrived().size === 10, { waitingFor: 'the events of the other tenant', deadlineMs });
});
