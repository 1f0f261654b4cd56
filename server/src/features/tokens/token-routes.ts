import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { sendJsonText } from '../../http/requests/json-text-reply.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { isFromFields } from '../../http/origins/elements-origin.ts';
import { type IdParameter, idParameter } from '../../http/parameters/uuid-parameter.ts';
import {
  type CreatedToken,
  requireHarmlessInFields,
  type TokenCreator,
  type TokenRepeater,
  type TokenUpdater,
  type UpdatedToken,
  type UpdateOutcome,
  writeProblems,
} from './write/index.ts';
import type { VisibleToken } from './model/token.ts';
import { isTokenId } from './model/token-id.ts';
import { toContentlessJson, toTokenJson } from './model/token-json.ts';
import {
  CreateToken,
  DeduplicatedTokenView,
  TokenView,
  toTokenPatch,
  toTokenRequest,
  UpdateToken,
} from './model/token-schemas.ts';
import { noSuchToken, type TokenService } from './read/index.ts';
import { tokenExamples } from './token-examples.ts';

const TokenParameter = idParameter('Id of the token, percent-encoded where needed.');

export function addTokenRoutes(
  app: FastifyInstance,
  parts: { creator: TokenCreator; tokens: TokenService; updater: TokenUpdater; repeater: TokenRepeater },
): void {
  const { creator, tokens, updater, repeater } = parts;

  app.post<{ Body: CreateToken }>(
    '/tokens',
    {
      config: {
        permission: 'token:create',
        rateLimit: 'token-write',
        problems: writeProblems,
        showAgain: shownAgain<CreatedToken>(async (caller, made) => {
          const views = (await repeater.repeat(caller, [made], () => false)).map((token) =>
            repeater.show(caller, token),
          );
          return (await Promise.all(views)).map(toTokenJson).join('');
        }),
        responseHeaders: { 201: { Location: 'The path of the token.' } },
        examples: tokenExamples.createToken,
      },
      schema: {
        operationId: 'createToken',
        summary: 'Create a token',
        description:
          'Stores a value and returns the token that stands for it. The type decides how `data` is validated, and supplies the mask, containers, fingerprint and search indexes that the request leaves out. With `deduplicate_token`, an existing token with the same fingerprint is returned with the status 200 and nothing is created.',
        tags: ['Tokens'],
        body: CreateToken,
        response: { 201: TokenView, 200: DeduplicatedTokenView },
      },
    },
    async (request, reply) => {
      const wanted = toTokenRequest(request.body, request.bodySource);
      if (isFromFields(request)) requireHarmlessInFields(wanted);
      const { token, made } = await creator.create(request.keyCaller, wanted);
      if (!made.isDeduplicated) reply.code(201).header('location', `/tokens/${encodeURIComponent(token.token.id)}`);
      keepOutcome(reply, made);
      return sendToken(reply, token);
    },
  );

  app.get<{ Params: IdParameter }>(
    '/tokens/:id',
    {
      config: { permission: 'token:read', examples: tokenExamples.getToken },
      schema: {
        operationId: 'getToken',
        summary: 'Get a token',
        description:
          'Returns a token. `data` is plaintext, masked or absent, depending on the access rules of the key.',
        tags: ['Tokens'],
        params: TokenParameter,
        response: { 200: TokenView },
      },
    },
    async (request, reply) => sendToken(reply, await tokens.get(request.caller, requireTokenId(request.params.id))),
  );

  app.patch<{ Params: IdParameter; Body: Static<typeof UpdateToken> }>(
    '/tokens/:id',
    {
      config: {
        permission: 'token:update',
        mediaTypes: ['application/merge-patch+json'],
        problems: ['version-conflict', 'legal-hold', 'too-many-container-sets'],
        showAgain: shownAgain<UpdatedToken>(async (caller, made) =>
          toUpdatedJson(await updater.showAgain(caller, made)),
        ),
        examples: tokenExamples.updateToken,
      },
      schema: {
        operationId: 'updateToken',
        summary: 'Update a token',
        description:
          'Changes a token by merge patch (RFC 7386): members of `data`, `mask` and `metadata` are merged, everything else is replaced, and `null` removes a member.',
        tags: ['Tokens'],
        params: TokenParameter,
        body: UpdateToken,
        response: { 200: TokenView },
      },
    },
    async (request, reply) => {
      const patch = toTokenPatch(request.body, request.bodySource);
      if (isFromFields(request)) requireHarmlessInFields(patch);
      const updated = await updater.update(request.keyCaller, requireTokenId(request.params.id), patch, {
        isFromFields: isFromFields(request),
      });
      keepOutcome(reply, updated.made);
      return sendJsonText(reply, toUpdatedJson(updated));
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/tokens/:id',
    {
      config: {
        permission: 'token:delete',
        hasBody: false,
        problems: ['legal-hold'],
        examples: tokenExamples.deleteToken,
      },
      schema: {
        operationId: 'deleteToken',
        summary: 'Delete a token',
        description:
          'Deletes a token and everything stored about it except its audit records. It cannot be restored. A token under a legal hold is not deleted.',
        tags: ['Tokens'],
        params: TokenParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await tokens.delete(request.caller, requireTokenId(request.params.id));
      return reply.code(204).send();
    },
  );
}

function sendToken(reply: FastifyReply, token: VisibleToken): FastifyReply {
  return sendJsonText(reply, toTokenJson(token));
}

function toUpdatedJson({ token, isHiddenDuplicate }: UpdateOutcome): string {
  return isHiddenDuplicate ? toContentlessJson(token) : toTokenJson(token);
}

function requireTokenId(text: string): TokenId {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
