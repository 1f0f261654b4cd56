import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { isSentByFrame } from '../../http/origins/elements-origin.ts';
import { keepOutcome } from '../../http/requests/idempotency.ts';
import { AuthorizeSession, SessionView, toSessionGrant, toSessionView } from './session-schemas.ts';
import type { SessionService } from './session-service.ts';
import { sessionExamples } from './session-examples.ts';

export function addSessionRoutes(app: FastifyInstance, sessions: SessionService): void {
  app.post(
    '/sessions',
    {
      // Browsers share a public key, so anyone who guessed an idempotency key would get another visitor's session.
      config: {
        permission: 'any-key',
        entityType: 'session',
        hasBody: false,
        isRepeatable: false,
        examples: sessionExamples.createSession,
      },
      schema: {
        operationId: 'createSession',
        summary: 'Create a session',
        description:
          'Creates a session with the key of a public application, for example in a browser. Its key has no access until a server authorizes the session with the nonce. Keep the key in the browser, and send only the nonce to the server. A session that card fields have created works on their origin only.',
        tags: ['Sessions'],
        response: { 201: SessionView },
      },
    },
    async (request, reply) => {
      const origin = isSentByFrame(request) ? 'elements' : undefined;
      return reply.code(201).send(toSessionView(await sessions.create(request.keyCaller, origin)));
    },
  );

  app.post<{ Body: Static<typeof AuthorizeSession> }>(
    '/sessions/authorize',
    {
      config: {
        permission: 'any-key',
        entityType: 'session',
        operation: 'authorize',
        problems: ['not-found', 'nonce-used'],
        // Nothing is returned, and the session's access is limited by its authorizer on every request.
        showAgain: async () => undefined,
        isNamedByBody: true,
        examples: sessionExamples.authorizeSession,
      },
      schema: {
        operationId: 'authorizeSession',
        summary: 'Authorize a session',
        description:
          'Gives a session its permissions or access rules. Call it from a server, with the key of a private application. The session can never do more than that application, not even later; asking for more is refused.',
        tags: ['Sessions'],
        body: AuthorizeSession,
        response: { 200: Type.Null() },
      },
    },
    async (request, reply) => {
      await sessions.authorize(request.keyCaller, toSessionGrant(request.body));
      keepOutcome(reply, null);
      return reply.code(200).send();
    },
  );
}
