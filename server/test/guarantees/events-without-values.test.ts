import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventTypes } from '../../src/core/events/event-type.ts';
import { type Canary, CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { untilPasses } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';

/** How many cards are created, shown, sent, changed and deleted. `npm run test:webhooks` takes a thousand. */
const cards = Number(process.env['EVENT_CARDS'] ?? 30);
const atOnce = 10;

let events: EventVault;
const secrets: Canary[] = [];
beforeAll(async () => {
  events = await EventVault.start();
});
afterAll(() => events.stop());

function secret(name: string, text: string): string {
  secrets.push({ name, bytes: Buffer.from(text) });
  return text;
}

const mark = (name: string) => secret(name, `${name.replaceAll(' ', '')}${crypto.randomUUID().replaceAll('-', '')}`);

/** Does everything with one card that has an event, or is refused. */
async function useCard(index: number): Promise<string> {
  const { keys } = events.tenant;
  const number = secret(`number ${index}`, makeCardNumber());
  secret(`mask ${index}`, `XXXXXXXXXXXX${number.slice(-4)}`);
  const ask = async (key: string, method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    return events.vault.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
  };
  const data = { number, expiration_month: 12, expiration_year: 2031, cvc: '737' };
  const metadata = { note: mark('metadata') };
  const made = await ask(keys.private, 'POST', '/tokens', {
    type: 'card',
    data,
    metadata,
    containers: ['/pci/high/'],
    search_indexes: ['{{ data.number }}'],
  });
  expect(made.status).toBe(201);
  const { id } = made.body as { id: string };
  expect((await ask(keys.reveal, 'GET', `/tokens/${id}`)).text).toContain(number);
  await ask(keys.private, 'GET', `/tokens/${id}`);
  await ask(keys.public, 'GET', `/tokens/${id}`);
  const changed = { data: { expiration_year: 2032 }, metadata: { note: mark('changed metadata') } };
  await ask(keys.reveal, 'PATCH', `/tokens/${id}`, changed);
  const search = { data: number };
  await ask(keys.private, 'POST', '/v2/tokens/search', { query: `data:${number}`, ...search });
  const sent = JSON.stringify({ card: `{{ ${id} | json: '$.number' }}`, text: mark('proxy body') });
  await events.proxy.call({ key: keys.reveal, path: `/${mark('proxy path')}`, body: sent });
  await ask(keys.private, 'DELETE', `/tokens/${id}`);
  return id;
}

it(`no event, header or delivery has a value of ${cards} cards, masked or not`, { timeout: 1_800_000 }, async () => {
  // The receiver sends back what it got, so that the log of deliveries would show it as well.
  events.receiver.react = ({ body, headers }) => ({ status: 200, body: `${body}${JSON.stringify(headers)}` });
  const types = [...eventTypes];
  await events.subscribe({ url: `${events.url}/all`, events: types, batch_size: 100, bt_signature: true });
  const { management } = events.tenant.keys;
  const application = await events.vault.request('POST', '/applications', {
    key: management,
    body: { name: mark('application'), type: 'private', permissions: ['token:create'] },
  });
  secret('key', (application.body as { key: string }).key);
  await events.vault.request('POST', '/webhooks', {
    key: management,
    body: { name: mark('webhook'), url: `${events.url}/${mark('webhook path')}`, events: ['tenant.deleted'] },
  });
  const ids: string[] = [];
  for (let index = 0; index < cards; index += atOnce)
    ids.push(
      ...(await Promise.all(Array.from({ length: Math.min(atOnce, cards - index) }, (_, at) => useCard(index + at)))),
    );

  const deleted = () =>
    events.receiver.events
      .filter(({ type }) => type === 'token.deleted')
      .map(({ data }) => (data['token'] as { id: string }).id);
  await untilPasses(() => expect(new Set(deleted())).toEqual(new Set(ids)));
  const seen = new Set(events.receiver.events.map(({ type }) => type));
  for (const type of ['token.created', 'token.read', 'token.updated', 'proxy.invoked', 'application.created'])
    expect(seen).toContain(type);

  const { rows } = await events.vault.database.owner.query('select * from webhook_deliveries');
  expect(rows.length).toBeGreaterThan(0);
  const written = JSON.stringify([events.receiver.messages, rows, events.workerLines]);
  expect(new CanaryScanner(secrets).scan(Buffer.from(written))).toEqual([]);
  // The scanner would find an id, which events do contain.
  const [id = ''] = ids;
  expect(new CanaryScanner([{ name: 'id', bytes: Buffer.from(id) }]).scan(Buffer.from(written))).not.toEqual([]);
});
