import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { listedSessionExamples } from './listed-session-examples.ts';
import { SessionPageView, SessionQuery, toSessionPageView, toSessionSlice } from './listed-session-schemas.ts';
import { noSuchSession, type SessionRegister } from './session-register.ts';

const SessionParameter = idParameter('Id of the session.');

/** Adds the routes that let tenant administrators list sessions and end them. */
export function addSessionListRoutes(app: FastifyInstance, sessions: SessionRegister): void {
  app.get<{ Querystring: Static<typeof SessionQuery> }>(
    '/sessions',
    {
      config: { permission: 'session:read', examples: listedSessionExamples.listSessions },
      schema: {
        operationId: 'listSessions',
        summary: 'List sessions',
        description:
          'Returns the sessions of the tenant that have not ended, newest first: who created and authorized each, what it may do and until when. Keys and nonces are never shown. A page is shorter if its rules are long.',
        tags: ['Sessions'],
        querystring: SessionQuery,
        response: { 200: SessionPageView },
      },
    },
    async ({ caller, query }) => {
      const slice = toSessionSlice(query);
      return toSessionPageView(caller.tenantId, await sessions.list(caller, slice), slice.size);
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/sessions/:id',
    {
      config: { permission: 'session:delete', hasBody: false, examples: listedSessionExamples.deleteSession },
      schema: {
        operationId: 'deleteSession',
        summary: 'End a session',
        description:
          'Ends a session before its time. Every server of the vault refuses its key within a second. A session that has not been authorized yet never will be.',
        tags: ['Sessions'],
        params: SessionParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await sessions.end(request.caller, requireUuid(request.params.id, noSuchSession));
      return reply.code(204).send();
    },
  );
}
