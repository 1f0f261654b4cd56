import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilPasses } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';

/*
 * An endpoint was given to a partner, who may only hear of the partner's own container. Events that the former receiver
 * had refused were sent to the partner, although they were about other containers and of types that the endpoint no
 * longer subscribed to. So were deliveries that somebody resent.
 */
let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start();
});
afterAll(() => events.stop());

const deliveries = async (id: string, query: string) =>
  ((await events.manage('GET', `/webhooks/${id}/deliveries${query}`)).body as { data: Record<string, unknown>[] }).data;
const idsAt = (path: string) =>
  events.receiver.at(path).flatMap((message) => message.events.map(({ data }) => (data['token'] as { id: string }).id));

it('an endpoint with fewer subscriptions gets no waiting or resent event of the others', async () => {
  const types = ['token.created', 'token.deleted'];
  const { id } = await events.subscribe({ url: `${events.url}/own`, events: types });
  events.receiver.react = () => ({ status: 204 });
  const delivered = await events.proxy.store('delivered', { containers: ['/secret/'] });
  await untilPasses(async () => expect(await deliveries(id, '?status=delivered')).toHaveLength(1));
  events.receiver.react = ({ path }) => ({ status: path === '/own' ? 500 : 204 });
  const secret = await events.proxy.store('secret', { containers: ['/secret/'] });
  const deleted = await events.proxy.store('deleted', { containers: ['/partner/'] });
  await events.vault.request('DELETE', `/tokens/${deleted}`, { key: events.tenant.keys.private });
  await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toHaveLength(3));

  const narrowed = { url: `${events.url}/partner`, events: ['token.created'], containers: ['/partner/'] };
  expect((await events.manage('PUT', `/webhooks/${id}`, { name: 'Partner', ...narrowed })).status).toBe(200);
  const [before] = await deliveries(id, '?status=delivered');
  for (const one of [...(await deliveries(id, '?status=waiting')), before])
    await events.manage('POST', `/webhooks/${id}/deliveries/${String(one?.['id'])}/resend`);
  await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toEqual([]));
  expect(idsAt('/partner')).toEqual([deleted]);
  const failed = await deliveries(id, '?status=failed');
  expect(failed.map(({ error }) => error)).toEqual(['unsubscribed', 'unsubscribed', 'unsubscribed']);
  expect(idsAt('/own')).toEqual(expect.arrayContaining([delivered, secret]));
});
