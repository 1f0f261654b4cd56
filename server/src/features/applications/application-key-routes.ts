import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import type { ApplicationId, ApplicationKeyId } from '../../core/identity/ids.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { type ApplicationKeyService, noSuchKey, type ShownKey } from './application-key-service.ts';
import { ApplicationKeyQuery, parseApplicationFilter } from './application-filter.ts';
import { ApplicationKeyView, toApplicationKeyView } from './application-schemas.ts';
import { noSuchApplication } from './application-service.ts';
import { applicationKeyExamples } from './application-key-examples.ts';

const ApplicationParameter = idParameter('Id of the application.');

const KeyParameters = Type.Object({
  id: Type.String({ description: 'Id of the application.' }),
  keyId: Type.String({ description: 'Id of the key.' }),
});
type KeyParameters = Static<typeof KeyParameters>;

/**
 * The stored result of a request that created a key, in case of a retry. It has no secret, which is shown only once.
 */
interface CreatedKey {
  readonly applicationId: ApplicationId;
  readonly keyId: ApplicationKeyId;
}

export function addApplicationKeyRoutes(app: FastifyInstance, keys: ApplicationKeyService): void {
  app.post<{ Params: IdParameter }>(
    '/applications/:id/keys',
    {
      config: {
        permission: 'application:create',
        hasBody: false,
        showAgain: shownAgain<CreatedKey>(async (caller, { applicationId, keyId }) =>
          toView(await keys.get(caller, applicationId, keyId)),
        ),
        examples: applicationKeyExamples.createApplicationKey,
      },
      schema: {
        operationId: 'createApplicationKey',
        summary: 'Create a key',
        description:
          'Creates a further key for an application, for example to replace one without interruption. The response is the only one that contains its secret. In a tenant with `approve_plaintext`, the key of an application that can reach plaintext is refused until it is approved, and the response is 202.',
        tags: ['Application keys'],
        params: ApplicationParameter,
        response: { 201: ApplicationKeyView, 202: ApplicationKeyView },
      },
    },
    async (request, reply) => {
      const applicationId = requireUuid<ApplicationId>(request.params.id, noSuchApplication);
      const created = await keys.create(request.caller, applicationId);
      keepOutcome(reply, { applicationId, keyId: created.key.id } satisfies CreatedKey);
      return reply.code(created.approval === undefined ? 201 : 202).send(toView(created));
    },
  );

  app.get<{ Params: IdParameter; Querystring: Static<typeof ApplicationKeyQuery> }>(
    '/applications/:id/keys',
    {
      config: { permission: 'application:read', examples: applicationKeyExamples.listApplicationKeys },
      schema: {
        operationId: 'listApplicationKeys',
        summary: 'List keys',
        description: 'Returns the keys of an application, without their secrets.',
        tags: ['Application keys'],
        params: ApplicationParameter,
        querystring: ApplicationKeyQuery,
        response: { 200: Type.Array(ApplicationKeyView) },
      },
    },
    async (request) => {
      const filter = parseApplicationFilter(request.query);
      const found = await keys.list(request.caller, requireUuid(request.params.id, noSuchApplication), filter);
      return found.map(toView);
    },
  );

  app.get<{ Params: KeyParameters }>(
    '/applications/:id/keys/:keyId',
    {
      config: { permission: 'application:read', examples: applicationKeyExamples.getApplicationKey },
      schema: {
        operationId: 'getApplicationKey',
        summary: 'Get a key',
        description: 'Returns a key, without its secret.',
        tags: ['Application keys'],
        params: KeyParameters,
        response: { 200: ApplicationKeyView },
      },
    },
    async (request) => {
      const { applicationId, keyId } = toIds(request.params);
      return toView(await keys.get(request.caller, applicationId, keyId));
    },
  );

  app.delete<{ Params: KeyParameters }>(
    '/applications/:id/keys/:keyId',
    {
      config: {
        permission: 'application:delete',
        hasBody: false,
        examples: applicationKeyExamples.deleteApplicationKey,
      },
      schema: {
        operationId: 'deleteApplicationKey',
        summary: 'Delete a key',
        description: 'Revokes a key. Every server of the vault refuses it within a second.',
        tags: ['Application keys'],
        params: KeyParameters,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { applicationId, keyId } = toIds(request.params);
      await keys.revoke(request.caller, applicationId, keyId);
      return reply.code(204).send();
    },
  );
}

function toView({ key, approval }: ShownKey): Static<typeof ApplicationKeyView> {
  return toApplicationKeyView(key, approval);
}

function toIds(parameters: KeyParameters): { applicationId: ApplicationId; keyId: ApplicationKeyId } {
  return {
    applicationId: requireUuid(parameters.id, noSuchKey),
    keyId: requireUuid(parameters.keyId, noSuchKey),
  };
}
