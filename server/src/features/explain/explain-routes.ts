import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ExplainAccess, ExplanationView, toExplainQuestion, toExplanationView } from './explain-schemas.ts';
import type { ExplainService } from './explain-service.ts';

export function addExplainRoutes(app: FastifyInstance, access: ExplainService): void {
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
}
