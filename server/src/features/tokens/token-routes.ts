import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { sendJsonText } from '../../http/json-text-reply.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { IdParameter } from '../../http/uuid-parameter.ts';
import type { VisibleToken } from './token.ts';
import type { TokenCreator } from './token-creator.ts';
import { isTokenId } from './token-id.ts';
import { toContentlessJson, toLastingJson, toTokenJson } from './token-json.ts';
import { CreateToken, TokenView, toTokenPatch, toTokenRequest, UpdateToken } from './token-schemas.ts';
import { noSuchToken, type TokenService } from './token-service.ts';
import type { TokenUpdater } from './token-updater.ts';

type IdParameter = Static<typeof IdParameter>;

export function addTokenRoutes(
  app: FastifyInstance,
  parts: { creator: TokenCreator; tokens: TokenService; updater: TokenUpdater },
): void {
  const { creator, tokens, updater } = parts;

  app.post<{ Body: CreateToken }>(
    '/tokens',
    {
      config: { permission: 'token:create', rateLimit: 'token-write' },
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        body: CreateToken,
        response: { 201: TokenView, 200: TokenView },
      },
    },
    async (request, reply) => {
      const { isCreated, token } = await creator.create(
        request.caller,
        toTokenRequest(request.body, request.bodySource),
      );
      if (isCreated) reply.code(201).header('location', `/tokens/${encodeURIComponent(token.token.id)}`);
      return sendToken(reply, token);
    },
  );

  app.get<{ Params: IdParameter }>(
    '/tokens/:id',
    {
      config: { permission: 'token:read' },
      schema: { operationId: 'getToken', tags: ['Tokens'], params: IdParameter, response: { 200: TokenView } },
    },
    async (request, reply) => sendToken(reply, await tokens.get(request.caller, requireTokenId(request.params.id))),
  );

  app.patch<{ Params: IdParameter; Body: Static<typeof UpdateToken> }>(
    '/tokens/:id',
    {
      config: { permission: 'token:update', mediaTypes: ['application/merge-patch+json'] },
      schema: {
        operationId: 'updateToken',
        tags: ['Tokens'],
        params: IdParameter,
        body: UpdateToken,
        response: { 200: TokenView },
      },
    },
    async (request, reply) => {
      const patch = toTokenPatch(request.body, request.bodySource);
      const { token, isHiddenDuplicate } = await updater.update(
        request.caller,
        requireTokenId(request.params.id),
        patch,
      );
      return isHiddenDuplicate ? sendJsonText(reply, toContentlessJson(token)) : sendToken(reply, token);
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/tokens/:id',
    {
      config: { permission: 'token:delete', hasBody: false },
      schema: { operationId: 'deleteToken', tags: ['Tokens'], params: IdParameter, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await tokens.delete(request.caller, requireTokenId(request.params.id));
      return reply.code(204).send();
    },
  );
}

function sendToken(reply: FastifyReply, token: VisibleToken): FastifyReply {
  return sendJsonText(reply, toTokenJson(token), toLastingJson(token));
}

function requireTokenId(text: string): TokenId {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
