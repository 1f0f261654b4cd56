import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { eventTypes } from '../../../core/events/event-type.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { parsePageRequest } from '../../../http/parameters/pagination.ts';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { noSuchWebhook } from '../model/webhook.ts';
import {
  CreateWebhook,
  NewWebhookView,
  parseCursor,
  toCursor,
  toNewWebhookView,
  toWebhookSettings,
  toWebhookView,
  UpdateWebhook,
  WebhookPage,
  WebhookQuery,
  WebhookView,
} from '../model/webhook-schemas.ts';
import { webhookExamples } from './webhook-examples.ts';
import type { WebhookService } from './webhook-service.ts';

export const WebhookParameter = idParameter('Id of the webhook.');
const tags = ['Webhooks'] as const;

/** Adds the routes that create, list, read, change and delete endpoints. */
export function addWebhookRoutes(app: FastifyInstance, webhooks: WebhookService): void {
  const showAgain = shownAgain<{ id: string }>(async (caller, { id }) => toWebhookView(await webhooks.get(caller, id)));

  app.post<{ Body: Static<typeof CreateWebhook> }>(
    '/webhooks',
    {
      config: {
        permission: 'webhook:create',
        // A webhook receives what the log says.
        alsoNeeds: ['log:read'],
        showAgain,
        problems: ['not-found'],
        examples: webhookExamples.createWebhook,
      },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Creates an endpoint that receives events about a second after they happen. Needs `log:read` as well, because events say what the log says. The response is the only one that contains the signing secret. The webhook is disabled if whoever set it loses these permissions.',
        tags,
        body: CreateWebhook,
        response: { 201: NewWebhookView },
      },
    },
    async (request, reply) => {
      const { webhook, secret } = await webhooks.create(request.caller, toWebhookSettings(request.body));
      keepOutcome(reply, { id: webhook.id });
      return reply.code(201).send(toNewWebhookView(webhook, secret));
    },
  );

  app.get<{ Querystring: Static<typeof WebhookQuery> }>(
    '/webhooks',
    {
      config: { permission: 'webhook:read', examples: webhookExamples.listWebhooks },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Returns the webhooks of the tenant, newest first, without their secrets.',
        tags,
        querystring: WebhookQuery,
        response: { 200: WebhookPage },
      },
    },
    async ({ caller, query }) => {
      const { size } = parsePageRequest(query);
      const { items, next } = await webhooks.list(caller, parseCursor(query.start), size);
      const pagination = { page_size: size, ...(next === undefined ? {} : { next: toCursor(next) }) };
      return { pagination, data: items.map(toWebhookView) };
    },
  );

  app.get(
    '/webhooks/event-types',
    {
      config: { permission: 'any-key', entityType: 'webhook', examples: webhookExamples.listEventTypes },
      schema: {
        operationId: 'listWebhookEventTypes',
        summary: 'List event types',
        description: 'Returns the types of events that a webhook can receive.',
        tags,
        querystring: NoParameters,
        response: { 200: Type.Array(Type.String(), { description: 'The types of events.' }) },
      },
    },
    () => [...eventTypes],
  );

  app.get<{ Params: IdParameter }>(
    '/webhooks/:id',
    {
      config: { permission: 'webhook:read', examples: webhookExamples.getWebhook },
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        description: 'Returns a webhook, without its secrets.',
        tags,
        params: WebhookParameter,
        response: { 200: WebhookView },
      },
    },
    async (request) => toWebhookView(await webhooks.get(request.caller, requireUuid(request.params.id, noSuchWebhook))),
  );

  app.put<{ Params: IdParameter; Body: Static<typeof UpdateWebhook> }>(
    '/webhooks/:id',
    {
      config: {
        permission: 'webhook:update',
        alsoNeeds: ['log:read'],
        showAgain,
        examples: webhookExamples.updateWebhook,
      },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Replace a webhook',
        description:
          'Replaces the settings of a webhook, and enables or disables it if `status` is given. Settings that are not given get their defaults. Waiting events are sent to the new URL.',
        tags,
        params: WebhookParameter,
        body: UpdateWebhook,
        response: { 200: WebhookView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchWebhook);
      const status = request.body.status ?? undefined;
      const webhook = await webhooks.update(request.caller, id, { ...toWebhookSettings(request.body), status });
      keepOutcome(reply, { id });
      return toWebhookView(webhook);
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/webhooks/:id',
    {
      config: { permission: 'webhook:delete', hasBody: false, examples: webhookExamples.deleteWebhook },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Deletes a webhook with its log of deliveries. Waiting events are not sent.',
        tags,
        params: WebhookParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await webhooks.delete(request.caller, requireUuid(request.params.id, noSuchWebhook));
      return reply.code(204).send();
    },
  );

  app.post<{ Params: IdParameter }>(
    '/webhooks/:id/rotate-secret',
    {
      config: {
        permission: 'webhook:update',
        alsoNeeds: ['log:read'],
        operation: 'rotate',
        hasBody: false,
        showAgain,
        examples: webhookExamples.rotateWebhookSecret,
      },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret',
        description:
          'Creates a new signing secret, which only this response contains. For 24 hours, requests are signed with the previous secret as well.',
        tags,
        params: WebhookParameter,
        response: { 200: NewWebhookView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchWebhook);
      const { webhook, secret, previousUntil } = await webhooks.rotateSecret(request.caller, id);
      keepOutcome(reply, { id });
      return toNewWebhookView(webhook, secret, previousUntil);
    },
  );

  app.get(
    '/ping',
    {
      config: { permission: 'any-key', entityType: 'webhook', examples: webhookExamples.ping },
      schema: {
        operationId: 'ping',
        summary: 'Check a key',
        description: 'Responds with 204 to any valid key.',
        tags,
        querystring: NoParameters,
        response: { 204: Type.Null() },
      },
    },
    (_request, reply) => reply.code(204).send(),
  );
}
