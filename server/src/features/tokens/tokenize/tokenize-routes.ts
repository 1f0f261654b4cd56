import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { isFromFields } from '../../../http/origins/elements-origin.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { sendJsonText } from '../../../http/requests/json-text-reply.ts';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { DetokenizeService } from './detokenize-service.ts';
import { writeProblems } from '../write/index.ts';
import type { TokenizedOutcome, TokenizeService } from './tokenize-service.ts';
import { tokenizeExamples } from './tokenize-examples.ts';

const Document = Type.Unknown({ description: 'Any JSON document.' });

/** Adds both routes. They respond with JSON text that is sent unchanged, so that values keep their spelling. */
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
        examples: tokenizeExamples.tokenize,
      },
      schema: {
        operationId: 'tokenize',
        summary: 'Tokenize a document',
        description:
          'Creates many tokens in one request. In a JSON object or array of any shape, every string becomes a token and is replaced by its id; an object with `type` and `data` is a request to create a token and is replaced by the token. Numbers, booleans and null stay. If one value cannot be stored, none is.',
        tags: ['Tokenize'],
        body: Document,
        response: { 200: Document },
      },
    },
    async (request, reply) => {
      const document = requireDocument(request.body);
      const { text, outcome, unknownMembers } = await parts.tokenizer.tokenize(request.keyCaller, document, {
        source: request.bodySource,
        isFromFields: isFromFields(request),
      });
      request.unknownMembers = unknownMembers;
      keepOutcome(reply, outcome);
      return sendJsonText(reply, text);
    },
  );

  app.post<{ Body: JsonValue | undefined }>(
    '/detokenize',
    {
      config: {
        permission: 'token:read',
        isRepeatable: false,
        problems: ['not-found'],
        examples: tokenizeExamples.detokenize,
      },
      schema: {
        operationId: 'detokenize',
        summary: 'Detokenize a document',
        description:
          "Replaces references such as `{{ <token id> }}` in a JSON document with the data of the tokens, as the key may see it. Filters can select a part: `{{ <token id> | json: '$.number' }}`. A string that is exactly one reference becomes the value itself, whatever its type.",
        tags: ['Tokenize'],
        body: Document,
        response: { 200: Document },
      },
    },
    async (request, reply) => {
      requireDocument(request.body);
      const text = await parts.detokenizer.detokenize(request.keyCaller, request.bodySource);
      return sendJsonText(reply, text.reveal());
    },
  );
}

/** Rejects null as well, because the framework passes null for a missing body. */
function requireDocument(body: JsonValue | undefined): Sensitive<JsonValue> {
  if (body === undefined || body === null) throw invalidField('body', 'is required');
  return new Sensitive(body);
}
