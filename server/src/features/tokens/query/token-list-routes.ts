import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { sendJsonText } from '../../../http/json-text-reply.ts';
import { includeChildren } from '../../../core/search/include-children.ts';
import { parseSearchQuery } from '../../../core/search/parse-search-query.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import { nameSchemas } from '../../../http/api-components.ts';
import {
  PaginationView,
  pageMax,
  pageParameters,
  parsePageRequest,
  sizeDefault,
  sizeMaxDefault,
  toPaginationView,
} from '../../../http/pagination.ts';
import { NoParameters, queryParameters } from '../../../http/query-parameters.ts';
import type { VisibleToken } from '../model/token.ts';
import type { TokenFinder } from './token-finder.ts';
import { toTokenJson } from '../model/token-json.ts';
import { toListQuery } from './token-list-query.ts';
import { TokenView } from '../model/token-schemas.ts';

const repeatable = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { description }));
const filters = {
  id: repeatable('Token ids.'),
  type: repeatable('Token types.'),
  container: repeatable('Containers; `/pci/*` matches everything in `/pci/`.'),
  fingerprint: repeatable('Fingerprints.'),
  metadata: repeatable(
    'A JSON object; `metadata.key=value` and `metadata[key]=value` are equivalent. Keys and values are case-insensitive.',
  ),
};
const start = Type.Optional(
  Type.String({ maxLength: tokenQueryLimits.cursorLengthMax, description: 'The `next` of the page before.' }),
);
/** No `default` in a body: generators take a member that has one for required. */
const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], { description }));
const size = wholeNumber(sizeMaxDefault, `Items on a page; ${sizeDefault} by default.`);
const query = Type.Optional(Type.Union([Type.String({ maxLength: tokenQueryLimits.queryLengthMax }), Type.Null()]));

/** `metadata.key` and `metadata[key]`. */
const metadataNames = { [String.raw`^metadata[.[]`]: Type.Union([Type.String(), Type.Array(Type.String())]) };
const ListQuery = queryParameters({ ...filters, ...pageParameters }, metadataNames);
const CursorListQuery = queryParameters(
  {
    ...filters,
    container: repeatable('Containers, each including everything in it; `/pci/` and `/pci/*` are equivalent.'),
    start,
    size: pageParameters.size,
  },
  metadataNames,
);
const Search = Type.Object({
  query,
  page: wholeNumber(pageMax, 'Page number, starting at 1 (the default).'),
  size,
});
const CursorSearch = Type.Object({
  query,
  start: Type.Optional(Type.Union([Type.String({ maxLength: tokenQueryLimits.cursorLengthMax }), Type.Null()])),
  size,
});
const TokenPage = Type.Object({ pagination: PaginationView, data: Type.Array(TokenView) });
const CursorPagination = Type.Object({ page_size: Type.Integer(), next: Type.Optional(Type.String()) });
const TokenCursorPage = Type.Object({ pagination: CursorPagination, data: Type.Array(TokenView) });
nameSchemas({
  SearchTokensRequest: Search,
  SearchTokensV2Request: CursorSearch,
  TokenPage,
  TokenCursorPage,
  CursorPagination,
});

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
      const question = { permission: 'token:read', query: withChildren(toListQuery(request.query)) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, toPageJson({ page_size: page.size, next }, items));
    },
  );

  app.post<{ Body: Static<typeof Search> }>(
    '/tokens/search',
    {
      config: { permission: 'token:search', rateLimit: 'token-search', isRepeatable: false },
      schema: {
        operationId: 'searchTokens',
        tags: ['Tokens'],
        querystring: NoParameters,
        body: Search,
        response: { 200: TokenPage },
      },
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
        querystring: NoParameters,
        body: CursorSearch,
        response: { 200: TokenCursorPage },
      },
    },
    async (request, reply) => {
      const page = { start: request.body.start ?? undefined, size: request.body.size ?? sizeDefault };
      const question = { permission: 'token:search', query: withChildren(toQuery(request.body.query)) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, toPageJson({ page_size: page.size, next }, items));
    },
  );
}

/** A search without a query is a list. */
function toQuery(text: string | null | undefined): SearchQuery | undefined {
  return text === undefined || text === null || text === '' ? undefined : parseSearchQuery(text);
}

/** On the routes with cursors a container means its children, too. */
function withChildren(query: SearchQuery | undefined): SearchQuery | undefined {
  return query === undefined ? undefined : includeChildren(query);
}

function toPageJson(pagination: object, items: readonly VisibleToken[]): string {
  return `{"pagination":${JSON.stringify(pagination)},"data":[${items.map(toTokenJson).join(',')}]}`;
}
