import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/parameters/pagination.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { ApplicationQuery, parseApplicationFilter } from './application-filter.ts';
import {
  ApplicationPage,
  ApplicationView,
  CreateApplication,
  toApplicationSettings,
  toApplicationView,
  toNewApplication,
  UpdateApplication,
} from './application-schemas.ts';
import {
  type ApplicationService,
  isPending,
  noSuchApplication,
  toWrittenApplication,
  type WrittenApplication,
} from './application-service.ts';
import { applicationExamples } from './application-examples.ts';

const ApplicationParameter = idParameter('Id of the application.');

export function addApplicationRoutes(app: FastifyInstance, applications: ApplicationService): void {
  const showAgain = shownAgain<WrittenApplication>(async (caller, written) =>
    toApplicationView(await applications.getAgain(caller, written)),
  );

  app.post<{ Body: Static<typeof CreateApplication> }>(
    '/applications',
    {
      config: {
        permission: 'application:create',
        showAgain,
        problems: ['not-found'],
        examples: applicationExamples.createApplication,
      },
      schema: {
        operationId: 'createApplication',
        summary: 'Create an application',
        description:
          'Creates an application and, unless `create_key` is false, its first key. The response is the only one that contains the secret of the key. In a tenant with `approve_plaintext`, an application that could reach plaintext is created without rights: the response is 202, and its keys are refused until it is approved.',
        tags: ['Applications'],
        body: CreateApplication,
        response: { 201: ApplicationView, 202: ApplicationView },
      },
    },
    async (request, reply) => {
      const created = await applications.create(request.caller, toNewApplication(request.body));
      keepOutcome(reply, toWrittenApplication(created));
      return reply.code(isPending(created) ? 202 : 201).send(toApplicationView(created));
    },
  );

  app.get<{ Querystring: Static<typeof ApplicationQuery> }>(
    '/applications',
    {
      config: { permission: 'application:read', examples: applicationExamples.listApplications },
      schema: {
        operationId: 'listApplications',
        summary: 'List applications',
        description: 'Returns the applications of the tenant, newest first.',
        tags: ['Applications'],
        querystring: ApplicationQuery,
        response: { 200: ApplicationPage },
      },
    },
    async (request) => {
      const page = parsePageRequest(request.query);
      const { totalItems, items } = await applications.list(
        request.caller,
        parseApplicationFilter(request.query),
        page,
      );
      return { pagination: toPaginationView(page, totalItems), data: items.map(toApplicationView) };
    },
  );

  app.get(
    '/applications/key',
    {
      config: { permission: 'any-key', problems: ['not-found'], examples: applicationExamples.getApplicationByKey },
      schema: {
        operationId: 'getApplicationByKey',
        summary: 'Get your own application',
        description: 'Returns the application that the key of the request belongs to.',
        tags: ['Applications'],
        response: { 200: ApplicationView },
      },
    },
    async (request) => toApplicationView(await applications.getOwn(request.keyCaller)),
  );

  app.get<{ Params: IdParameter }>(
    '/applications/:id',
    {
      config: { permission: 'application:read', examples: applicationExamples.getApplication },
      schema: {
        operationId: 'getApplication',
        summary: 'Get an application',
        description: 'Returns an application with its permissions, rules and keys, without the secrets.',
        tags: ['Applications'],
        params: ApplicationParameter,
        response: { 200: ApplicationView },
      },
    },
    async (request) =>
      toApplicationView(await applications.get(request.caller, requireUuid(request.params.id, noSuchApplication))),
  );

  app.put<{ Params: IdParameter; Body: Static<typeof UpdateApplication> }>(
    '/applications/:id',
    {
      config: { permission: 'application:update', showAgain, examples: applicationExamples.updateApplication },
      schema: {
        operationId: 'updateApplication',
        summary: 'Update an application',
        description:
          'Replaces the settings of an application: what the request leaves out is removed. The type cannot be changed. Its keys keep working, and have the new rights within a second. In a tenant with `approve_plaintext`, rights that widen access to plaintext take effect once they are approved; until then the response is 202, and what was in force stays so.',
        tags: ['Applications'],
        params: ApplicationParameter,
        body: UpdateApplication,
        response: { 200: ApplicationView, 202: ApplicationView },
      },
    },
    async (request, reply) => {
      const id = requireUuid<Parameters<typeof applications.update>[1]>(request.params.id, noSuchApplication);
      const updated = await applications.update(request.caller, id, toApplicationSettings(request.body));
      keepOutcome(reply, toWrittenApplication(updated));
      return reply.code(isPending(updated) ? 202 : 200).send(toApplicationView(updated));
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/applications/:id',
    {
      config: { permission: 'application:delete', hasBody: false, examples: applicationExamples.deleteApplication },
      schema: {
        operationId: 'deleteApplication',
        summary: 'Delete an application',
        description:
          'Deletes an application with its keys and the sessions that it has authorized, all of which stop working at once.',
        tags: ['Applications'],
        params: ApplicationParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await applications.delete(request.caller, requireUuid(request.params.id, noSuchApplication));
      return reply.code(204).send();
    },
  );
}
