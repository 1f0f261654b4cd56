import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../../http/idempotency.ts';
import { sendJsonText } from '../../../http/json-text-reply.ts';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { DetokenizeService } from './detokenize-service.ts';
import { writeProblems } from '../write/index.ts';
import type { TokenizedOutcome, TokenizeService } from './tokenize-service.ts';

const Document = Type.Unknown({ description: 'Any JSON document.' });

/** Both answer with JSON text, sent as it is: values keep the spelling they came with. */
export function addTokenizeRoutes(
  app: FastifyInstance,
  parts: { tokenizer: TokenizeService; detokenizer: DetokenizeService },
): void {
  app.post<{ Body: JsonValue | undefined }>(
    '/tokenize',
    {
      config: {
        permission: 'token:create',
        rateLimit: 'token-write',
        problems: writeProblems,
        showAgain: shownAgain<TokenizedOutcome>((caller, outcome) => parts.tokenizer.showAgain(caller, outcome)),
      },
      schema: { operationId: 'tokenize', tags: ['Tokenize'], body: Document, response: { 200: Document } },
    },
    async (request, reply) => {
      const document = requireDocument(request.body);
      const { text, outcome } = await parts.tokenizer.tokenize(request.caller, document, request.bodySource);
      keepOutcome(reply, outcome);
      return sendJsonText(reply, text);
    },
  );

  app.post<{ Body: JsonValue | undefined }>(
    '/detokenize',
    {
      config: { permission: 'token:read', isRepeatable: false },
      schema: { operationId: 'detokenize', tags: ['Tokenize'], body: Document, response: { 200: Document } },
    },
    async (request, reply) => {
      requireDocument(request.body);
      const text = await parts.detokenizer.detokenize(request.caller, request.bodySource);
      return sendJsonText(reply, text.reveal());
    },
  );
}

/** Without a body the framework hands on null. */
function requireDocument(body: JsonValue | undefined): Sensitive<JsonValue> {
  if (body === undefined || body === null) throw invalidField('body', 'is required');
  return new Sensitive(body);
}
