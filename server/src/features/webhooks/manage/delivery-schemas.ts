import { type Static, Type } from 'typebox';
import { eventTypes } from '../../../core/events/event-type.ts';
import { cursorPageOf, pageParameters } from '../../../http/parameters/pagination.ts';
import { queryParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { type Delivery, deliveryStatuses } from '../model/delivery.ts';

export const DeliveryQuery = queryParameters({
  status: Type.Optional(Type.Enum([...deliveryStatuses], { description: 'Return only deliveries with this status.' })),
  event_type: Type.Optional(
    Type.Enum([...eventTypes], { description: 'Return only deliveries of this type of event.' }),
  ),
  start: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The `next` of the page before. With filters that rarely match a page can be short, even empty, and still have a `next`.',
    }),
  ),
  size: pageParameters.size,
});

export const ResendSince = Type.Object(
  {
    since: Type.String({
      maxLength: 50,
      description: 'ISO 8601: send everything again that happened from then on, at most 30 days back.',
    }),
  },
  { description: 'What to send again.' },
);

export const DeliveryView = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The `webhook-id` of the request: the id of its event, or an id of the batch.',
    }),
    status: Type.Enum([...deliveryStatuses], {
      description:
        '`delivered`, `waiting` for the next attempt or for an earlier event of its entity, or `failed` after the last one.',
    }),
    event_ids: Type.Array(Type.String(), { description: 'Ids of the events, which are the ids of their log records.' }),
    event_types: Type.Array(Type.String(), { description: 'The types of the events.' }),
    entity_id: Type.Optional(Type.String({ description: 'Id of what the event is about. Absent for a batch.' })),
    attempts: Type.Integer({
      description: 'How often it was sent, not counting attempts while the webhook was failing.',
    }),
    created_at: timestamp('When it was first sent.'),
    last_attempt_at: timestamp('When it was last sent.'),
    next_attempt_at: Type.Optional(
      timestamp('When it is sent again. Absent if it is not, or waits for another event.'),
    ),
    response_status: Type.Optional(
      Type.Integer({ description: 'Status of the last response. Absent if there was none.' }),
    ),
    duration_ms: Type.Optional(Type.Integer({ description: 'How long the last attempt took, in milliseconds.' })),
    error: Type.Optional(Type.String({ description: 'Why there was no response.' })),
    response: Type.Optional(
      Type.String({ description: 'The first kilobyte of the last response, with long numbers masked.' }),
    ),
  },
  { description: 'A request to a webhook, with its last response.' },
);
export const DeliveryPage = cursorPageOf(DeliveryView, 'deliveries');

nameSchemas({ WebhookDelivery: DeliveryView, WebhookDeliveryPage: DeliveryPage, ResendEventsRequest: ResendSince });

export function toDeliveryView(delivery: Delivery): Static<typeof DeliveryView> {
  const { entityId, nextAt, responseStatus, durationMs, error, response } = delivery;
  return {
    id: delivery.id,
    status: delivery.status,
    event_ids: [...delivery.eventIds],
    event_types: [...delivery.eventTypes],
    ...(entityId === null ? {} : { entity_id: entityId }),
    attempts: delivery.attempts,
    created_at: toTimestamp(delivery.createdAt),
    last_attempt_at: toTimestamp(delivery.lastAt),
    ...(nextAt === null ? {} : { next_attempt_at: toTimestamp(nextAt) }),
    ...(responseStatus === null ? {} : { response_status: responseStatus }),
    ...(durationMs === null ? {} : { duration_ms: durationMs }),
    ...(error === null ? {} : { error }),
    ...(response === null ? {} : { response }),
  };
}
