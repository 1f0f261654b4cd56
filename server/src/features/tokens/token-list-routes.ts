import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { sendJsonText } from '../../http/json-text-reply.ts';
import { parseSearchQuery } from '../../core/search/parse-search-query.ts';
import type { SearchQuery } from '../../core/search/search-query.ts';
import { PaginationView, pageParameters, parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import type { VisibleToken } from './token.ts';
import type { TokenFinder } from './token-finder.ts';
import { toTokenJson } from './token-json.ts';
import { toListQuery } from './token-list-query.ts';
import { TokenView } from './token-schemas.ts';

const repeatable = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { description }));
const filters = {
  id: repeatable('Token ids.'),
  type: repeatable('Token types.'),
  container: repeatable('Containers; `/pci/*` means everything in `/pci/`.'),
  fingerprint: repeatable('Fingerprints.'),
  metadata: repeatable('A JSON object; `metadata.key=value` and `metadata[key]=value` mean the same.'),
};
const start = Type.Optional(Type.String({ maxLength: 500, description: 'The `next` of the page before.' }));
const size = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Null()]));
const query = Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]));

const ListQuery = Type.Object({ ...filters, ...pageParameters });
const CursorListQuery = Type.Object({ ...filters, start, size: pageParameters.size });
const Search = Type.Object({
  query,
  page: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 999_999_999 }), Type.Null()])),
  size,
});
const CursorSearch = Type.Object({
  query,
  start: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  size,
});
const TokenPage = Type.Object({ pagination: PaginationView, data: Type.Array(TokenView) });
const TokenCursorPage = Type.Object({
  pagination: Type.Object({ page_size: Type.Integer(), next: Type.Optional(Type.String()) }),
  data: Type.Array(TokenView),
});

const sizeDefault = 20;

export function addTokenListRoutes(app: FastifyInstance, finder: TokenFinder): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/tokens',
    {
      config: { permission: 'token:read', rateLimit: 'token-list' },
      schema: { operationId: 'listTokens', tags: ['Tokens'], querystring: ListQuery, response: { 200: TokenPage } },
    },
    async (request, reply) => {
      const page = parsePageRequest(request.query);
      const question = { permission: 'token:read', query: toListQuery(request.query) } as const;
      const { totalItems, items } = await finder.listPage(request.caller, question, page);
      return sendJsonText(reply, toPageJson(toPaginationView(page, totalItems), items));
    },
  );

  app.get<{ Querystring: Static<typeof CursorListQuery> }>(
    '/v2/tokens',
    {
      config: { permission: 'token:read', rateLimit: 'token-list' },
      schema: {
        operationId: 'listTokensV2',
        tags: ['Tokens'],
        querystring: CursorListQuery,
        response: { 200: TokenCursorPage },
      },
    },
    async (request, reply) => {
      const page = { start: request.query.start, size: parsePageRequest(request.query).size };
      const question = { permission: 'token:read', query: toListQuery(request.query) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, toPageJson({ page_size: page.size, next }, items));
    },
  );

  app.post<{ Body: Static<typeof Search> }>(
    '/tokens/search',
    {
      config: { permission: 'token:search', rateLimit: 'token-search', isRepeatable: false },
      schema: { operationId: 'searchTokens', tags: ['Tokens'], body: Search, response: { 200: TokenPage } },
    },
    async (request, reply) => {
      const page = { page: request.body.page ?? 1, size: request.body.size ?? sizeDefault };
      const question = { permission: 'token:search', query: toQuery(request.body.query) } as const;
      const { totalItems, items } = await finder.listPage(request.caller, question, page);
      return sendJsonText(reply, toPageJson(toPaginationView(page, totalItems), items));
    },
  );

  app.post<{ Body: Static<typeof CursorSearch> }>(
    '/v2/tokens/search',
    {
      config: { permission: 'token:search', rateLimit: 'token-search', isRepeatable: false },
      schema: {
        operationId: 'searchTokensV2',
        tags: ['Tokens'],
        body: CursorSearch,
        response: { 200: TokenCursorPage },
      },
    },
    async (request, reply) => {
      const page = { start: request.body.start ?? undefined, size: request.body.size ?? sizeDefault };
      const question = { permission: 'token:search', query: toQuery(request.body.query) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, toPageJson({ page_size: page.size, next }, items));
    },
  );
}

/** A search without a query is a list. */
function toQuery(text: string | null | undefined): SearchQuery | undefined {
  return text === undefined || text === null || text === '' ? undefined : parseSearchQuery(text);
}

function toPageJson(pagination: object, items: readonly VisibleToken[]): string {
  return `{"pagination":${JSON.stringify(pagination)},"data":[${items.map(toTokenJson).join(',')}]}`;
}
