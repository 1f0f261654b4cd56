import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { untilTrue } from './deadline.ts';

interface Seeded {
  readonly url: string;
  /** The server of `dev` that sends back what it receives. */
  readonly echo_url: string;
  readonly keys: DevelopmentKeys;
}

/** Adds what `dev --seed` does not have: webhooks with deliveries, a route and a session. Returns the id of a webhook. */
export async function addToSeed(seeded: Seeded, cardId: string): Promise<string> {
  const [webhookId] = await Promise.all([createWebhooks(seeded), createRoute(seeded), openSession(seeded, cardId)]);
  return webhookId;
}

function post({ url }: Seeded, target: string, key: string, body?: object): Promise<Response> {
  const headers = { 'bt-api-key': key, ...(body && { 'content-type': 'application/json' }) };
  return fetch(`${url}${target}`, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });
}

/**
 * Creates a webhook whose server does not exist, and one whose server responds, and waits until both were sent an event.
 * Returns the id of the first.
 */
async function createWebhooks(seeded: Seeded): Promise<string> {
  const pager = await createWebhook(seeded, {
    name: 'Alerts to the pager',
    url: 'https://hooks.pager.example/strongroom',
    events: ['audit.alert', 'token.created'],
  });
  const orders = await createWebhook(seeded, {
    name: 'Orders of the shop',
    url: `${seeded.echo_url}/orders`,
    events: ['token.created', 'token.deleted'],
  });
  const { private: key, management } = seeded.keys;
  const response = await post(seeded, '/tokens', key, { type: 'token', data: 'a voucher' });
  const { id } = (await response.json()) as { id: string };
  await fetch(`${seeded.url}/tokens/${id}`, { method: 'DELETE', headers: { 'bt-api-key': key } });
  for (const webhook of [pager, orders]) {
    await untilTrue(
      async () => {
        const target = `${seeded.url}/webhooks/${webhook}/deliveries`;
        const { data } = (await (await fetch(target, { headers: { 'bt-api-key': management } })).json()) as {
          data: readonly { readonly attempts: number }[];
        };
        return data.some(({ attempts }) => attempts > 0);
      },
      { waitingFor: 'a delivery' },
    );
  }
  return pager;
}

async function createWebhook(seeded: Seeded, settings: object): Promise<string> {
  const response = await post(seeded, '/webhooks', seeded.keys.management, settings);
  if (response.status !== 201) throw new Error(`The webhook was not created: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

async function createRoute(seeded: Seeded): Promise<void> {
  const authorization = { location: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' };
  const response = await post(seeded, '/proxies', seeded.keys.management, {
    name: 'Charge at the acquirer',
    destination_url: 'https://api.acquirer.example/charges',
    require_auth: true,
    configuration: { API_KEY: 'sk_test_of_nobody' },
    request_transforms: [{ type: 'append_header', options: authorization }],
    response_transforms: [{ type: 'mask', matcher: 'regex', expression: String.raw`(\d{12})\d{4}`, replacement: '*' }],
  });
  if (response.status !== 201) throw new Error(`The route was not created: ${await response.text()}`);
}

/** Opens a session like one that a page uses to show a card. */
async function openSession(seeded: Seeded, cardId: string): Promise<void> {
  const { nonce } = (await (await post(seeded, '/sessions', seeded.keys.public)).json()) as { nonce: string };
  const conditions = [{ attribute: 'id', operator: 'equals', value: cardId }];
  const rule = { description: 'Show a card to its owner', priority: 1, conditions, transform: 'reveal' };
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const grant = { nonce, rules: [{ ...rule, permissions: ['token:read'] }], expires_at };
  const { status } = await post(seeded, '/sessions/authorize', seeded.keys.reveal, grant);
  if (status !== 200) throw new Error(`The session was not authorized: ${status}`);
}
