import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { toIntentRequest } from '../tokens/index.ts';
import { tokenIntentExamples } from './token-intent-examples.ts';
import { CreateTokenIntent, TokenIntentView, toTokenIntentView } from './token-intent-schemas.ts';
import { noSuchTokenIntent, type TokenIntentService } from './token-intent-service.ts';

const IntentParameter = idParameter('Id of the token intent.');
const tags = ['Token intents'] as const;

export function addTokenIntentRoutes(app: FastifyInstance, intents: TokenIntentService): void {
  app.post<{ Body: Static<typeof CreateTokenIntent> }>(
    '/token-intents',
    {
      config: {
        permission: 'token-intent:create',
        rateLimit: 'token-write',
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) =>
          JSON.stringify(toTokenIntentView(await intents.showAgain(caller, id))),
        ),
        problems: ['not-found'],
        examples: tokenIntentExamples.createTokenIntent,
      },
      schema: {
        operationId: 'createTokenIntent',
        summary: 'Create a token intent',
        description:
          'Keeps a value for a day, or for as long as the tenant has set. Use it through the proxy as `{{ token_intent: <id> }}`, or send `token_intent_id` when you create a token.',
        tags,
        body: CreateTokenIntent,
        response: { 201: TokenIntentView },
      },
    },
    async (request, reply) => {
      const created = await intents.create(request.keyCaller, toIntentRequest(request.body, request.bodySource));
      keepOutcome(reply, { id: created.intent.id });
      return reply.code(201).send(toTokenIntentView(created));
    },
  );

  app.get<{ Params: IdParameter }>(
    '/token-intents/:id',
    {
      config: { permission: 'token-intent:read', examples: tokenIntentExamples.getTokenIntent },
      schema: {
        operationId: 'getTokenIntent',
        summary: 'Get a token intent',
        description: 'Returns a token intent. Its data is never returned.',
        tags,
        params: IntentParameter,
        response: { 200: TokenIntentView },
      },
    },
    async (request) =>
      toTokenIntentView(await intents.get(request.keyCaller, requireUuid(request.params.id, noSuchTokenIntent))),
  );

  app.delete<{ Params: IdParameter }>(
    '/token-intents/:id',
    {
      config: {
        permission: 'token-intent:delete',
        hasBody: false,
        examples: tokenIntentExamples.deleteTokenIntent,
      },
      schema: {
        operationId: 'deleteTokenIntent',
        summary: 'Delete a token intent',
        description: 'Deletes a token intent with its data.',
        tags,
        params: IntentParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await intents.delete(request.keyCaller, requireUuid(request.params.id, noSuchTokenIntent));
      return reply.code(204).send();
    },
  );
}
