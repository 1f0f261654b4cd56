import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { IdParameter } from '../../http/uuid-parameter.ts';
import { isTokenId } from './token-id.ts';
import { CreateToken, TokenView, toNewToken, toTokenJson } from './token-schemas.ts';
import type { TokenService } from './token-service.ts';

const jsonContentType = 'application/json; charset=utf-8';

export function addTokenRoutes(app: FastifyInstance, tokens: TokenService): void {
  app.post<{ Body: Static<typeof CreateToken> }>(
    '/tokens',
    {
      config: { permission: 'token:create' },
      schema: { operationId: 'createToken', tags: ['Tokens'], body: CreateToken, response: { 201: TokenView } },
    },
    async (request, reply) => {
      const token = await tokens.create(request.caller, toNewToken(request.body, request.bodySource));
      return reply
        .code(201)
        .header('location', `/tokens/${encodeURIComponent(token.id)}`)
        .header('content-type', jsonContentType)
        .serializer(toTokenJson)
        .send(token);
    },
  );

  app.get<{ Params: Static<typeof IdParameter> }>(
    '/tokens/:id',
    {
      config: { permission: 'token:read' },
      schema: { operationId: 'getToken', tags: ['Tokens'], params: IdParameter, response: { 200: TokenView } },
    },
    async (request, reply) => {
      const token = await tokens.get(request.caller, requireTokenId(request.params.id));
      return reply.header('content-type', jsonContentType).serializer(toTokenJson).send(token);
    },
  );

  app.delete<{ Params: Static<typeof IdParameter> }>(
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

function requireTokenId(text: string): TokenId {
  if (!isTokenId(text)) throw new DomainError('not-found', 'There is no such token.');
  return text;
}
