import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ExplainAccess, ExplanationView, toExplainQuestion, toExplanationView } from './explain-schemas.ts';
import type { ExplainService } from './explain-service.ts';
import { FindOnlookers, OnlookersView, toWhoQuestion, toWhoView } from './who-schemas.ts';
import type { WhoService } from './who-service.ts';
import { explainExamples } from './explain-examples.ts';

export function addExplainRoutes(app: FastifyInstance, access: ExplainService, who: WhoService): void {
  app.post<{ Body: Static<typeof ExplainAccess> }>(
    '/access/explain',
    {
      config: {
        permission: 'application:read',
        isReadOnly: true,
        problems: ['not-found'],
        examples: explainExamples.explainAccess,
      },
      schema: {
        operationId: 'explainAccess',
        summary: 'Explain access',
        description:
          'Says for each permission on a token or a container whether an application has it, which rule decides, and what the application gets to see. Instead of an application you can give draft permissions and rules, to try them before you save them. No token data is read or returned.',
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
      config: {
        permission: 'application:read',
        isReadOnly: true,
        problems: ['not-found'],
        examples: explainExamples.findOnlookers,
      },
      schema: {
        operationId: 'findOnlookers',
        summary: 'Find who can see a token',
        tags: ['Access'],
        description: `Every application, live session and member that can see a token, or any token in a container or below it, and
what it can see of it at most. Roundabout ways count: who creates applications or members, approves exports, sets masks, or holds an
invitation can see plaintext. Ids of members and invitations are only for keys that may list them.`,
        body: FindOnlookers,
        response: { 200: OnlookersView },
      },
    },
    async ({ caller, body }) => toWhoView(await who.find(caller.tenantId, caller, toWhoQuestion(body))),
  );
}
