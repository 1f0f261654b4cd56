import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { parseIsoTimestamp } from '../../../core/expiry/timestamp.ts';
import { parsePageRequest } from '../../../http/parameters/pagination.ts';
import { type IdParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { noSuchDelivery } from '../model/delivery.ts';
import { noSuchWebhook } from '../model/webhook.ts';
import { parseCursor, toCursor, toWebhookView, WebhookView } from '../model/webhook-schemas.ts';
import { deliveryExamples } from './delivery-examples.ts';
import { DeliveryPage, DeliveryQuery, DeliveryView, ResendSince, toDeliveryView } from './delivery-schemas.ts';
import type { DeliveryService } from './delivery-service.ts';
import { WebhookParameter } from './webhook-routes.ts';
import type { WebhookService } from './webhook-service.ts';

const DeliveryParameter = Type.Object({
  ...WebhookParameter.properties,
  deliveryId: Type.String({ description: 'Id of the delivery.' }),
});
const tags = ['Webhooks'] as const;

/** Adds the routes that show deliveries and have them sent again. */
export function addDeliveryRoutes(
  app: FastifyInstance,
  { webhooks, deliveries }: { readonly webhooks: WebhookService; readonly deliveries: DeliveryService },
): void {
  const showAgain = shownAgain<{ id: string }>(async (caller, { id }) => toWebhookView(await webhooks.get(caller, id)));

  app.get<{ Params: IdParameter; Querystring: Static<typeof DeliveryQuery> }>(
    '/webhooks/:id/deliveries',
    {
      config: {
        permission: 'webhook:read',
        // Deliveries name what events are about.
        alsoNeeds: ['log:read'],
        examples: deliveryExamples.listWebhookDeliveries,
      },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries',
        description: 'Returns what was sent to a webhook in the last 30 days, the last attempts first.',
        tags,
        params: WebhookParameter,
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage },
      },
    },
    async ({ caller, params, query }) => {
      const { size } = parsePageRequest(query);
      const id = requireUuid(params.id, noSuchWebhook);
      const slice = {
        status: query.status,
        eventType: query.event_type,
        after: parseCursor(query.start),
        limit: size,
      };
      const { items, next } = await deliveries.list(caller, id, slice);
      const pagination = { page_size: size, ...(next === undefined ? {} : { next: toCursor(next) }) };
      return { pagination, data: items.map(toDeliveryView) };
    },
  );

  app.post<{ Params: Static<typeof DeliveryParameter> }>(
    '/webhooks/:id/deliveries/:deliveryId/resend',
    {
      config: {
        permission: 'webhook:update',
        alsoNeeds: ['log:read'],
        hasBody: false,
        showAgain: shownAgain<{ id: string; deliveryId: string }>(async (caller, of) =>
          toDeliveryView(await deliveries.get(caller, of.id, of.deliveryId)),
        ),
        examples: deliveryExamples.resendWebhookDelivery,
      },
      schema: {
        operationId: 'resendWebhookDelivery',
        summary: 'Resend a delivery',
        description: 'Sends a delivery again, with the same `webhook-id`. One that is waiting is sent at once.',
        tags,
        params: DeliveryParameter,
        response: { 202: DeliveryView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchWebhook);
      const deliveryId = requireUuid(request.params.deliveryId, noSuchDelivery);
      const delivery = await deliveries.resend(request.caller, id, deliveryId);
      keepOutcome(reply, { id, deliveryId });
      return reply.code(202).send(toDeliveryView(delivery));
    },
  );

  app.post<{ Params: IdParameter; Body: Static<typeof ResendSince> }>(
    '/webhooks/:id/resend',
    {
      config: {
        permission: 'webhook:update',
        alsoNeeds: ['log:read'],
        showAgain,
        examples: deliveryExamples.resendWebhookEvents,
      },
      schema: {
        operationId: 'resendWebhookEvents',
        summary: 'Resend events',
        description:
          'Sends every event again that happened since a time, in order, and then goes on as before. Each has the `webhook-id` that it had before, unless it was part of a batch.',
        tags,
        params: WebhookParameter,
        body: ResendSince,
        response: { 202: WebhookView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchWebhook);
      const since = parseIsoTimestamp(request.body.since)?.instant;
      if (since === undefined) throw invalidField('since', 'must be an ISO 8601 date-time');
      const webhook = await deliveries.resendSince(request.caller, id, since);
      keepOutcome(reply, { id });
      return reply.code(202).send(toWebhookView(webhook));
    },
  );
}
