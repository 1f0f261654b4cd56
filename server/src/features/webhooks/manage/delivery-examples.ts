import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleLaterTime, exampleTime } from '../../../http/routes/example-values.ts';
import { exampleWebhook, missingWebhook } from './webhook-examples.ts';

const one = { id: exampleIds.webhook };
const delivery = {
  id: exampleIds.delivery,
  status: 'waiting',
  event_ids: [exampleIds.delivery],
  event_types: ['token.created'],
  entity_id: exampleIds.card,
  attempts: 2,
  created_at: exampleTime,
  last_attempt_at: exampleTime,
  next_attempt_at: exampleLaterTime,
  response_status: 503,
  duration_ms: 41,
  response: 'Try again later.',
};

export const deliveryExamples = {
  listWebhookDeliveries: [
    {
      summary: 'What is waiting',
      status: 200,
      request: { path: one, query: { status: 'waiting' } },
      response: { pagination: { page_size: 20 }, data: [delivery] },
    },
    {
      summary: 'A status that does not exist',
      status: 400,
      request: { path: one, query: { status: 'lost' } },
      problem: invalid({ status: ['must be one of delivered, waiting, failed'] }),
    },
    missingWebhook,
  ],
  resendWebhookDelivery: [
    {
      summary: 'Send it again',
      status: 202,
      request: { path: { ...one, deliveryId: exampleIds.delivery } },
      response: delivery,
    },
    {
      summary: 'An idempotency key with a blank in it',
      status: 400,
      request: {
        path: { ...one, deliveryId: exampleIds.delivery },
        headers: { 'BT-IDEMPOTENCY-KEY': 'key 1' },
      },
      problem: invalid({ 'BT-IDEMPOTENCY-KEY': ['must be 1 to 255 visible ASCII characters'] }),
    },
    {
      summary: 'No such delivery',
      status: 404,
      request: { path: { ...one, deliveryId: exampleIds.nobody } },
      problem: { code: 'not-found', detail: 'There is no such delivery.' },
    },
  ],
  resendWebhookEvents: [
    {
      summary: 'A time that is too long ago',
      status: 400,
      request: { path: one, body: { since: '2020-01-01T00:00:00Z' } },
      problem: invalid({ since: ['must be at most 30 days ago'] }),
    },
    {
      summary: 'Everything since a time',
      status: 202,
      request: { path: one, body: { since: '2126-01-01T00:00:00Z' } },
      response: exampleWebhook,
    },
    {
      ...missingWebhook,
      request: { path: { id: exampleIds.nobody }, body: { since: '2126-01-01T00:00:00Z' } },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
