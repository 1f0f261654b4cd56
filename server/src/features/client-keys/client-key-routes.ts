import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import { parseEnd } from '../../http/parameters/timestamp.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { noSuchClientKey } from './client-key.ts';
import { clientKeyExamples } from './client-key-examples.ts';
import { ClientKeyView, CreateClientKey, toClientKeyView } from './client-key-schemas.ts';
import type { ClientKeyService } from './client-key-service.ts';

const ClientKeyParameter = idParameter('Id of the client key.');
const tags = ['Client keys'] as const;

export function addClientKeyRoutes(app: FastifyInstance, keys: ClientKeyService): void {
  app.post<{ Body: Static<typeof CreateClientKey> }>(
    '/keys',
    {
      config: {
        permission: 'keys:create',
        mediaTypes: ['application/json', 'application/json-patch+json'],
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) => toClientKeyView(await keys.get(caller, id))),
        problems: ['not-found'],
        examples: clientKeyExamples.createClientKey,
      },
      schema: {
        operationId: 'createClientKey',
        summary: 'Create a client key',
        description:
          'Creates a key pair with which browsers, apps and servers encrypt data for the vault. Encrypted data is sent as `encrypted` in place of `data`.',
        tags,
        body: CreateClientKey,
        response: { 201: ClientKeyView },
      },
    },
    async (request, reply) => {
      const { expires_at: expiresAt = null } = request.body;
      const created = await keys.create(request.caller, {
        expiresAt: expiresAt === null ? undefined : parseEnd(expiresAt),
      });
      keepOutcome(reply, { id: created.id });
      return reply.code(201).send(toClientKeyView(created));
    },
  );

  app.get(
    '/keys',
    {
      config: { permission: 'keys:read', examples: clientKeyExamples.listClientKeys },
      schema: {
        operationId: 'listClientKeys',
        summary: 'List client keys',
        description: 'Returns the client keys of the tenant that have not expired, newest first.',
        tags,
        querystring: NoParameters,
        response: { 200: Type.Array(ClientKeyView) },
      },
    },
    async (request) => (await keys.list(request.caller)).map(toClientKeyView),
  );

  app.get<{ Params: IdParameter }>(
    '/keys/:id',
    {
      config: { permission: 'keys:read', examples: clientKeyExamples.getClientKey },
      schema: {
        operationId: 'getClientKey',
        summary: 'Get a client key',
        description: 'Returns a client key with its public half.',
        tags,
        params: ClientKeyParameter,
        response: { 200: ClientKeyView },
      },
    },
    async (request) => toClientKeyView(await keys.get(request.caller, requireUuid(request.params.id, noSuchClientKey))),
  );

  app.delete<{ Params: IdParameter }>(
    '/keys/:id',
    {
      config: { permission: 'keys:delete', hasBody: false, examples: clientKeyExamples.deleteClientKey },
      schema: {
        operationId: 'deleteClientKey',
        summary: 'Delete a client key',
        description: 'Deletes a client key. Nothing encrypted with it is accepted any more.',
        tags,
        params: ClientKeyParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await keys.delete(request.caller, requireUuid(request.params.id, noSuchClientKey));
      return reply.code(204).send();
    },
  );
}
