import { eventTypes } from '../../../core/events/event-type.ts';
import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleLaterTime, exampleSecrets, exampleTime } from '../../../http/routes/example-values.ts';

const one = { id: exampleIds.webhook };
export const missingWebhook: ApiExample = {
  summary: 'No such webhook',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such webhook.' },
};

const settings = {
  name: 'Orders',
  url: 'https://orders.example.com/events',
  events: ['token.created', 'token.deleted', 'audit.alert'],
};
export const exampleWebhook = {
  id: exampleIds.webhook,
  tenant_id: exampleIds.tenant,
  status: 'enabled',
  ...settings,
  batch_size: 1,
  bt_signature: false,
  created_by: exampleIds.manager,
  created_at: exampleTime,
} as const;
const changed = { modified_by: exampleIds.manager, modified_at: exampleLaterTime };
const otherSettings = {
  name: 'Orders, in batches',
  url: 'https://orders.example.com/batches',
  notify_email: 'ops@example.com',
  events: ['token.created'],
  containers: ['/pci/high/'],
  batch_size: 100,
};

export const webhookExamples = {
  createWebhook: [
    {
      summary: 'Send some events to an address',
      status: 201,
      request: { body: settings },
      response: { ...exampleWebhook, id: exampleIds.created, signing_secret: exampleSecrets.webhook },
    },
    {
      summary: 'An address that must not be called',
      status: 400,
      request: { body: { ...settings, url: 'https://169.254.169.254/' } },
      problem: invalid({ url: ['cannot be called: the destination must be a host name, not an IP address'] }),
    },
    {
      summary: 'Not an e-mail address',
      status: 400,
      request: { body: { ...settings, notify_email: 'ops at example.com' } },
      problem: invalid({ notify_email: ['must be an e-mail address such as name@example.com'] }),
    },
  ],
  listWebhooks: [
    {
      summary: 'All webhooks',
      status: 200,
      response: { pagination: { page_size: 20 }, data: [exampleWebhook] },
    },
    {
      summary: 'A cursor that is none',
      status: 400,
      request: { query: { start: 'next' } },
      problem: invalid({ start: ['must be the `next` of an earlier page'] }),
    },
  ],
  listEventTypes: [
    { summary: 'All types of events', status: 200, response: [...eventTypes] },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { size: '10' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
  getWebhook: [{ summary: 'A webhook', status: 200, request: { path: one }, response: exampleWebhook }, missingWebhook],
  updateWebhook: [
    {
      summary: 'Send events about some tokens in batches',
      status: 200,
      request: { path: one, body: otherSettings },
      response: { ...exampleWebhook, ...otherSettings, ...changed },
    },
    {
      summary: 'Not a container',
      status: 400,
      request: { path: one, body: { ...settings, containers: ['pci'] } },
      problem: invalid({ containers: ['must be paths such as /pci/high/'] }),
    },
    { ...missingWebhook, request: { path: { id: exampleIds.nobody }, body: settings } },
  ],
  deleteWebhook: [{ summary: 'Delete a webhook', status: 204, request: { path: one } }, missingWebhook],
  rotateWebhookSecret: [
    {
      summary: 'Create another secret',
      status: 200,
      request: { path: one },
      response: {
        ...exampleWebhook,
        signing_secret: exampleSecrets.webhook,
        previous_secret_expires_at: exampleLaterTime,
      },
    },
    {
      summary: 'An idempotency key with a blank in it',
      status: 400,
      request: { path: one, headers: { 'BT-IDEMPOTENCY-KEY': 'key 1' } },
      problem: invalid({ 'BT-IDEMPOTENCY-KEY': ['must be 1 to 255 visible ASCII characters'] }),
    },
    missingWebhook,
  ],
  ping: [
    { summary: 'A valid key', status: 204 },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { size: '10' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
