import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import { IdParameter, requireUuid } from '../../http/uuid-parameter.ts';
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
  noSuchApplication,
  toWrittenApplication,
  type WrittenApplication,
} from './application-service.ts';

export function addApplicationRoutes(app: FastifyInstance, applications: ApplicationService): void {
  const showAgain = shownAgain<WrittenApplication>(async (caller, written) =>
    toApplicationView(await applications.getAgain(caller, written)),
  );

  app.post<{ Body: Static<typeof CreateApplication> }>(
    '/applications',
    {
      config: { permission: 'application:create', showAgain },
      schema: {
        operationId: 'createApplication',
        tags: ['Applications'],
        body: CreateApplication,
        response: { 201: ApplicationView },
      },
    },
    async (request, reply) => {
      const created = await applications.create(request.caller, toNewApplication(request.body));
      keepOutcome(reply, toWrittenApplication(created));
      return reply.code(201).send(toApplicationView(created));
    },
  );

  app.get<{ Querystring: Static<typeof ApplicationQuery> }>(
    '/applications',
    {
      config: { permission: 'application:read' },
      schema: {
        operationId: 'listApplications',
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
      config: { permission: 'any-key' },
      schema: { operationId: 'getApplicationByKey', tags: ['Applications'], response: { 200: ApplicationView } },
    },
    async (request) => toApplicationView(await applications.getOwn(request.caller)),
  );

  app.get<{ Params: Static<typeof IdParameter> }>(
    '/applications/:id',
    {
      config: { permission: 'application:read' },
      schema: {
        operationId: 'getApplication',
        tags: ['Applications'],
        params: IdParameter,
        response: { 200: ApplicationView },
      },
    },
    async (request) =>
      toApplicationView(await applications.get(request.caller, requireUuid(request.params.id, noSuchApplication))),
  );

  app.put<{ Params: Static<typeof IdParameter>; Body: Static<typeof UpdateApplication> }>(
    '/applications/:id',
    {
      config: { permission: 'application:update', showAgain },
      schema: {
        operationId: 'updateApplication',
        tags: ['Applications'],
        params: IdParameter,
        body: UpdateApplication,
        response: { 200: ApplicationView },
      },
    },
    async (request, reply) => {
      const id = requireUuid<Parameters<typeof applications.update>[1]>(request.params.id, noSuchApplication);
      const updated = await applications.update(request.caller, id, toApplicationSettings(request.body));
      keepOutcome(reply, toWrittenApplication(updated));
      return toApplicationView(updated);
    },
  );

  app.delete<{ Params: Static<typeof IdParameter> }>(
    '/applications/:id',
    {
      config: { permission: 'application:delete', hasBody: false },
      schema: {
        operationId: 'deleteApplication',
        tags: ['Applications'],
        params: IdParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await applications.delete(request.caller, requireUuid(request.params.id, noSuchApplication));
      return reply.code(204).send();
    },
  );
}
