import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome } from '../../http/idempotency.ts';
import { AuthorizeSession, SessionView, toSessionGrant, toSessionView } from './session-schemas.ts';
import type { SessionService } from './session-service.ts';

export function addSessionRoutes(app: FastifyInstance, sessions: SessionService): void {
  app.post(
    '/sessions',
    {
      // Browsers share a public key: whoever guessed an idempotency key would be handed the session of another.
      config: { permission: 'any-key', entityType: 'session', hasBody: false, isRepeatable: false },
      schema: { operationId: 'createSession', tags: ['Sessions'], response: { 201: SessionView } },
    },
    async (request, reply) => reply.code(201).send(toSessionView(await sessions.create(request.caller))),
  );

  app.post<{ Body: Static<typeof AuthorizeSession> }>(
    '/sessions/authorize',
    {
      config: {
        permission: 'any-key',
        entityType: 'session',
        operation: 'authorize',
        problems: ['nonce-used'],
        // Nothing is shown, and what the session may do is bounded by its authorizer at every request.
        showAgain: async () => undefined,
      },
      schema: {
        operationId: 'authorizeSession',
        tags: ['Sessions'],
        body: AuthorizeSession,
        response: { 200: Type.Null() },
      },
    },
    async (request, reply) => {
      await sessions.authorize(request.caller, toSessionGrant(request.body));
      keepOutcome(reply, null);
      return reply.code(200).send();
    },
  );
}
