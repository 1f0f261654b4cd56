import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ExplainAccess, ExplanationView, toExplainQuestion, toExplanationView } from './explain-schemas.ts';
import type { ExplainService } from './explain-service.ts';
import { FindOnlookers, OnlookersView, toWhoQuestion, toWhoView } from './who-schemas.ts';
import type { WhoService } from './who-service.ts';

export function addExplainRoutes(app: FastifyInstance, access: ExplainService, who: WhoService): void {
  app.post<{ Body: Static<typeof ExplainAccess> }>(
    '/access/explain',
    {
      config: { permission: 'application:read', isRepeatable: false },
      schema: {
        operationId: 'explainAccess',
        tags: ['Access'],
        body: ExplainAccess,
        response: { 200: ExplanationView },
      },
    },
    async (request) => toExplanationView(await access.explain(request.caller, toExplainQuestion(request.body))),
  );

  app.post<{ Body: Static<typeof FindOnlookers> }>(
    '/access/who',
    {
      config: { permission: 'application:read', isRepeatable: false },
      schema: {
        operationId: 'findOnlookers',
        tags: ['Access'],
        description: `Every application, live session and member that can see a token, or a token in a container, and what it can see
of it at most. Roundabout ways count: who creates applications or members, approves exports, or sets masks can see plaintext.`,
        body: FindOnlookers,
        response: { 200: OnlookersView },
      },
    },
    async ({ caller, body }) => toWhoView(await who.find(caller.tenantId, caller, toWhoQuestion(body))),
  );
}
