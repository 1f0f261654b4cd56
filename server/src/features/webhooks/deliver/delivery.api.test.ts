import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses, untilTrue } from '../../../../test/harness/deadline.ts';
import { EventVault } from '../../../../test/harness/event-vault.ts';

let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start();
}, 120_000);
afterAll(() => events.stop());
beforeEach(() => {
  events.receiver.messages.length = 0;
  events.receiver.react = () => ({ status: 204 });
  return async () => {
    await events.vault.database.owner.query('delete from webhooks');
  };
});

const store = (data: unknown = 'of a test', more = {}) => events.proxy.store(data, more);
const idsAt = (path: string) =>
  events.receiver.at(path).flatMap((message) => message.events.map(({ data }) => (data['token'] as { id: string }).id));

describe('a webhook', () => {
  it('gets an event for each token about a second after its creation, with ids and containers only', async () => {
    await events.subscribe({ url: `${events.url}/a`, events: ['token.created', 'token.deleted'] });
    const startedAt = Date.now();
    const id = await store('the plaintext', { containers: ['/pci/high/'] });
    await untilTrue(() => events.receiver.messages.length > 0, { waitingFor: 'an event' });
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    const [message] = events.receiver.messages;
    expect(JSON.parse(message?.body ?? '')).toEqual({
      event: {
        id: expect.any(String),
        type: 'token.created',
        timestamp: expect.any(String),
        tenant_id: events.tenant.id,
        trace_id: expect.any(String),
        data: {
          token: { id, containers: ['/pci/high/'], transform: 'mask' },
          actor: { id: expect.any(String), type: 'application' },
        },
      },
      delivered_at: expect.any(String),
    });
    await events.vault.request('DELETE', `/tokens/${id}`, { key: events.tenant.keys.private });
    await untilPasses(() =>
      expect(events.receiver.events.map(({ type }) => type)).toEqual(['token.created', 'token.deleted']),
    );
    expect(JSON.stringify(events.receiver.messages)).not.toContain('the plaintext');
  });

  it('gets only what it has subscribed to', async () => {
    await events.subscribe({ url: `${events.url}/b`, events: ['token.created'], containers: ['/pci/'] });
    const ids: string[] = [];
    for (const container of ['/general/', '/pci/', '/pci/high/', '/pcx/'])
      ids.push(await store(container, { containers: [container] }));
    await untilPasses(() => expect(new Set(idsAt('/b'))).toEqual(new Set([ids[1], ids[2]])));
  });

  it('gets events in batches if it wants to', async () => {
    await events.subscribe({ url: `${events.url}/c`, batch_size: 100 });
    const stored = await Promise.all(Array.from({ length: 40 }, (_, index) => store(`batch ${index}`)));
    // A token of the test before may be sealed only now, and arrives too.
    await untilPasses(() => expect(idsAt('/c')).toEqual(expect.arrayContaining(stored)));
    expect(events.receiver.at('/c').length).toBeLessThan(20);
  });
});

const deliveries = async (id: string, query = '') =>
  ((await events.manage('GET', `/webhooks/${id}/deliveries${query}`)).body as { data: Record<string, unknown>[] }).data;
const change = (id: string, mask: string) =>
  events.vault.request('PATCH', `/tokens/${id}`, {
    key: events.tenant.keys.reveal,
    body: { metadata: { mask } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
const statusOf = async (id: string) => (await events.manage('GET', `/webhooks/${id}`)).body as Record<string, unknown>;

describe('an event that is refused', () => {
  it('holds up later events of its token only, which follow in order', async () => {
    const types = ['token.created', 'token.updated', 'token.deleted'];
    const { id } = await events.subscribe({ url: `${events.url}/order`, events: types });
    const poisoned = await store('first');
    let isRefusing = true;
    events.receiver.react = ({ body }) => ({
      status: isRefusing && body.includes(poisoned) ? 500 : 204,
      body: 'card 4111 1111 1111 1111',
    });
    await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toHaveLength(1));
    await change(poisoned, 'a');
    await events.vault.request('DELETE', `/tokens/${poisoned}`, { key: events.tenant.keys.private });
    const other = await store('second');
    await untilPasses(() => expect(idsAt('/order')).toContain(other));
    await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toHaveLength(3));
    const [first] = (await deliveries(id, '?status=waiting')).filter(({ attempts }) => attempts === 1);
    expect(first).toMatchObject({
      response_status: 500,
      response: 'card XXXX XXXX XXXX XXXX',
      event_types: ['token.created'],
    });
    expect(JSON.stringify(events.receiver.at('/order').map((message) => message.events))).not.toContain(
      'token.updated',
    );

    isRefusing = false;
    await events.passTime(id);
    const sent = () => events.receiver.at('/order').filter(({ body }) => body.includes(poisoned));
    await untilPasses(() =>
      expect(
        sent()
          .flatMap((message) => message.events.map(({ type }) => type))
          .slice(-3),
      ).toEqual(types),
    );
    expect(sent()[0]?.headers['webhook-id']).toBe(sent()[1]?.headers['webhook-id']);
    await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toEqual([]));
  });

  it('is put aside after ten attempts, and can be resent', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/aside` });
    events.receiver.react = ({ body }) => ({ status: body.includes(poisoned) ? 400 : 204 });
    const poisoned = await store('poison');
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await untilPasses(async () =>
        expect(await deliveries(id, '?status=waiting')).toMatchObject([{ attempts: attempt }]),
      );
      // Something is accepted in between, so the endpoint as a whole does not count as failing.
      const healthy = await store('healthy');
      await untilPasses(() => expect(idsAt('/aside')).toContain(healthy));
      await events.passTime(id);
    }
    await untilPasses(async () => expect(await deliveries(id, '?status=failed')).toMatchObject([{ attempts: 10 }]));
    const [failed] = await deliveries(id, '?status=failed');
    events.receiver.react = () => ({ status: 204 });
    const resend = await events.manage('POST', `/webhooks/${id}/deliveries/${String(failed?.['id'])}/resend`);
    expect(resend.status).toBe(202);
    await untilPasses(async () => expect(await deliveries(id, '?status=failed')).toEqual([]));
    const sent = () => events.receiver.at('/aside').filter(({ body }) => body.includes(poisoned));
    await untilPasses(() => expect(sent()).toHaveLength(11));
    expect(new Set(sent().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }, 60_000);

  it('is sent alone after it failed in a batch, and the rest of the batch arrives', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/split`, batch_size: 100 });
    await events.stopWorker();
    const stored = await Promise.all(Array.from({ length: 30 }, (_, index) => store(`split ${index}`)));
    events.receiver.react = ({ body }) => ({ status: body.includes(stored[7] ?? '') ? 500 : 204 });
    await events.startWorker();
    await untilPasses(async () => {
      await events.passTime(id);
      expect(await deliveries(id, '?status=waiting')).toHaveLength(1);
    });
    expect(new Set(idsAt('/split'))).toEqual(new Set(stored));
  });
});

it('a list of deliveries looks at five thousand of them, and its pages contain every match', async () => {
  const { id } = await events.subscribe({ url: `${events.url}/many` });
  const { owner } = events.vault.database;
  const insert = (from: number, to: number, status: string) =>
    owner.query(
      `insert into webhook_deliveries (tenant_id, webhook_id, id, status, event_ids, event_types, leaves, attempts, created_at, last_at)
        select $1, $2, gen_random_uuid(), $5, '{}', '{token.created}', '{}', 1, now(), now() - make_interval(secs => n)
        from generate_series($3::integer, $4::integer) n`,
      [events.tenant.id, id, from, to, status],
    );
  await insert(1, 3, 'failed');
  await insert(4, 11_000, 'delivered');
  await insert(11_001, 11_002, 'failed');
  const list = async (query: string) => {
    const { body } = await events.manage('GET', `/webhooks/${id}/deliveries?${query}`);
    return body as { data: { id: string }[]; pagination: { next?: string } };
  };
  const pages: { id: string }[][] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = await list(`status=failed&size=2${next === '' ? '' : `&start=${next}`}`);
    pages.push(page.data);
    next = page.pagination.next;
  }
  expect(pages.map(({ length }) => length)).toEqual([2, 1, 0, 2]);
  expect(new Set(pages.flat().map((delivery) => delivery.id)).size).toBe(5);
  expect(await list('event_type=token.deleted')).toMatchObject({ data: [], pagination: { next: expect.any(String) } });
  expect((await list('size=100')).data).toHaveLength(100);
});

describe('an endpoint', () => {
  it('that responds with 410 is disabled, on record, and continues where it stopped', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/gone` });
    events.receiver.react = () => ({ status: 410 });
    const first = await store('gone');
    await untilPasses(async () =>
      expect(await statusOf(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' }),
    );
    const second = await store('later');
    const records = await events.vault.auditRecords(events.tenant.id);
    expect(records.find(({ operation, entity_id }) => operation === 'disable' && entity_id === id)).toMatchObject({
      details: '{"reason":"gone"}',
    });
    events.receiver.react = () => ({ status: 204 });
    const settings = { name: 'Again', url: `${events.url}/back`, events: ['token.created'], status: 'enabled' };
    expect((await events.manage('PUT', `/webhooks/${id}`, settings)).status).toBe(200);
    await events.passTime(id);
    await untilPasses(() => expect(new Set(idsAt('/back'))).toEqual(new Set([first, second])));
  });

  it('that asks for a delay gets nothing before it has passed', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/slow` });
    events.receiver.react = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await store('one');
    await untilPasses(() => expect(idsAt('/slow')).toHaveLength(1));
    const later = await store('two');
    await untilPasses(async () => {
      const { rows } = await events.vault.database.owner.query<{ seconds: number }>(
        'select extract(epoch from resume_at - now())::float8 as seconds from webhook_positions where webhook_id = $1',
        [id],
      );
      expect(rows[0]?.seconds).toBeGreaterThan(3_000);
    });
    expect(idsAt('/slow')).not.toContain(later);
    events.receiver.react = () => ({ status: 204 });
    await events.passTime(id);
    await untilPasses(() => expect(idsAt('/slow')).toContain(later));
  });

  it('that fails as a whole gets one request at a time, loses no event, and recovers at once', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/down` });
    events.receiver.react = () => ({ status: 503 });
    const stored = await Promise.all(Array.from({ length: 30 }, (_, index) => store(`down ${index}`)));
    await untilPasses(async () => expect(await statusOf(id)).toHaveProperty('failing_since'));
    await untilPasses(() => expect(idsAt('/down').length).toBeGreaterThanOrEqual(8));
    const before = idsAt('/down').length;
    await events.passTime(id);
    await untilPasses(() => expect(idsAt('/down').length).toBeGreaterThan(before));
    expect(idsAt('/down').length).toBeLessThan(before + 5);
    events.receiver.react = () => ({ status: 204 });
    await events.passTime(id);
    await untilPasses(() => expect(new Set(idsAt('/down'))).toEqual(new Set(stored)));
    await untilPasses(async () => expect(await deliveries(id, '?status=waiting')).toEqual([]));
    expect(await statusOf(id)).not.toHaveProperty('failing_since');
  });

  it('that has failed for days is disabled', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/dead` });
    events.receiver.react = () => 'reset';
    await Promise.all(Array.from({ length: 12 }, (_, index) => store(`dead ${index}`)));
    await untilPasses(async () => expect(await statusOf(id)).toHaveProperty('failing_since'));
    await untilPasses(() => expect(events.receiver.at('/dead').length).toBeGreaterThanOrEqual(8));
    await events.vault.database.owner.query(
      `update webhook_positions set failing_since = now() - interval '6 days' where webhook_id = $1`,
      [id],
    );
    await untilPasses(async () => {
      await events.passTime(id);
      expect(await statusOf(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    });
  });

  it('gets no event once its creator may no longer read the log', async () => {
    const { body } = await events.manage('POST', '/applications', {
      name: 'Creator',
      type: 'management',
      permissions: ['webhook:create', 'webhook:read', 'log:read'],
    });
    const creator = body as { id: string; key: string };
    const { id } = await events.subscribe({ url: `${events.url}/owner` }, creator.key);
    const before = await store('before');
    await untilPasses(() => expect(idsAt('/owner')).toEqual([before]));
    await events.manage('PUT', `/applications/${creator.id}`, {
      name: 'Creator',
      permissions: ['webhook:create', 'webhook:read'],
    });
    await store('after');
    await untilPasses(async () =>
      expect(await statusOf(id)).toMatchObject({ status: 'disabled', disabled_reason: 'owner' }),
    );
    expect(idsAt('/owner')).toEqual([before]);
  });

  it('is sent everything again since a time', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/since` });
    const stored = [await store('a'), await store('b')];
    await untilPasses(() => expect(idsAt('/since')).toEqual(stored));
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await events.manage('POST', `/webhooks/${id}/resend`, { since })).status).toBe(202);
    await untilPasses(() => expect(idsAt('/since').length).toBeGreaterThanOrEqual(4));
    await untilPasses(() => expect(idsAt('/since').slice(-2)).toEqual(stored));
  });

  it('at an address that must not be called gets nothing, and its owner does not learn which it is', async () => {
    const name = 'rebound.example';
    events.proxy.resolver.set(name, ['93.184.216.34']);
    const { id } = await events.subscribe({ url: `https://${name}:${events.receiver.port}/` });
    events.proxy.resolver.set(name, ['169.254.169.254']);
    await store('rebound');
    await untilPasses(async () => expect(await deliveries(id)).toMatchObject([{ error: 'refused: address' }]));
  });

  it('is not redirected', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/moved` });
    events.receiver.react = ({ path }) =>
      path === '/moved' ? { status: 307, headers: { location: `${events.url}/elsewhere` } } : { status: 204 };
    await store('moved');
    await untilPasses(async () => expect(await deliveries(id)).toMatchObject([{ response_status: 307 }]));
    expect(events.receiver.at('/elsewhere')).toEqual([]);
  });
});
