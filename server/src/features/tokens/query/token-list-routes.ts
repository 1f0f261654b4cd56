import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { sendJsonText } from '../../../http/requests/json-text-reply.ts';
import { includeChildren } from '../../../core/search/include-children.ts';
import { parseSearchQuery } from '../../../core/search/parse-search-query.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import {
  cursorPageOf,
  pageMax,
  pageOf,
  pageParameters,
  parsePageRequest,
  sizeDefault,
  sizeMaxDefault,
  toPaginationView,
} from '../../../http/parameters/pagination.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { NoParameters, queryParameters } from '../../../http/parameters/query-parameters.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { VisibleToken } from '../model/token.ts';
import type { TokenFinder } from './token-finder.ts';
import { toTokenJson } from '../model/token-json.ts';
import { toListQuery } from './token-list-query.ts';
import { TokenView } from '../model/token-schemas.ts';
import { tokenListExamples } from './token-list-examples.ts';

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
  Type.String({ maxLength: tokenQueryLimits.cursorLengthMax, description: 'The `next` of the previous page.' }),
);
/** The schema has no `default`, because client generators treat a body member with a default as required. */
const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], { description }));
const size = wholeNumber(sizeMaxDefault, `Items on a page; ${sizeDefault} by default.`);
const query = orNull(
  Type.String({
    maxLength: tokenQueryLimits.queryLengthMax,
    description: 'The query, such as `type:card AND metadata.customer_id:c-1042`. Without it, everything matches.',
  }),
);

/** The parameter names `metadata.key` and `metadata[key]`. */
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
const Search = Type.Object(
  { query, page: wholeNumber(pageMax, 'Page number, starting at 1 (the default).'), size },
  { description: 'A search with numbered pages.' },
);
const CursorSearch = Type.Object(
  {
    query,
    start: orNull(
      Type.String({ maxLength: tokenQueryLimits.cursorLengthMax, description: 'The `next` of the previous page.' }),
    ),
    size,
  },
  { description: 'A search that follows a cursor.' },
);
const TokenPage = pageOf(TokenView);
const TokenCursorPage = cursorPageOf(TokenView, 'tokens');
nameSchemas({
  SearchTokensRequest: Search,
  SearchTokensV2Request: CursorSearch,
  TokenPage,
  TokenCursorPage,
});

export function addTokenListRoutes(app: FastifyInstance, finder: TokenFinder): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/tokens',
    {
      config: {
        permission: 'token:read',
        rateLimit: 'token-list',
        problems: ['not-found', 'page-too-large'],
        examples: tokenListExamples.listTokens,
      },
      schema: {
        operationId: 'listTokens',
        summary: 'List tokens',
        description:
          'Returns the tokens that match all given filters, newest first, in numbered pages. Tokens that the key may not read are left out and not counted.',
        tags: ['Lists and search'],
        querystring: ListQuery,
        response: { 200: TokenPage },
      },
    },
    async (request, reply) => {
      const page = parsePageRequest(request.query);
      const question = { permission: 'token:read', query: toListQuery(request.query) } as const;
      const { totalItems, items } = await finder.listPage(request.caller, question, page);
      return sendJsonText(reply, await toPageJson(toPaginationView(page, totalItems), items));
    },
  );

  app.get<{ Querystring: Static<typeof CursorListQuery> }>(
    '/v2/tokens',
    {
      config: {
        permission: 'token:read',
        rateLimit: 'token-list',
        problems: ['not-found'],
        examples: tokenListExamples.listTokensV2,
      },
      schema: {
        operationId: 'listTokensV2',
        summary: 'List tokens by cursor',
        description:
          'Like the numbered list, but follows a cursor: send `next` of a page as `start` to get the following one. Every page costs the same, so use this to read many tokens.',
        tags: ['Lists and search'],
        querystring: CursorListQuery,
        response: { 200: TokenCursorPage },
      },
    },
    async (request, reply) => {
      const page = { start: request.query.start, size: parsePageRequest(request.query).size };
      const question = { permission: 'token:read', query: withChildren(toListQuery(request.query)) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, await toPageJson({ page_size: page.size, next }, items));
    },
  );

  app.post<{ Body: Static<typeof Search> }>(
    '/tokens/search',
    {
      config: {
        permission: 'token:search',
        rateLimit: 'token-search',
        isReadOnly: true,
        problems: ['not-found', 'page-too-large'],
        examples: tokenListExamples.searchTokens,
      },
      schema: {
        operationId: 'searchTokens',
        summary: 'Search tokens',
        description:
          'Finds tokens with a query such as `type:card AND metadata.customer_id:c-1042`. Fields are `id`, `type`, `container`, `fingerprint`, `metadata.<key>`, `created_by`, `created_at`, `modified_by`, `modified_at` and `data`, which is compared with the search indexes of a token. Combine terms with `AND`, `OR`, `NOT` and parentheses.',
        tags: ['Lists and search'],
        querystring: NoParameters,
        body: Search,
        response: { 200: TokenPage },
      },
    },
    async (request, reply) => {
      const page = { page: request.body.page ?? 1, size: request.body.size ?? sizeDefault };
      const question = { permission: 'token:search', query: toQuery(request.body.query) } as const;
      const { totalItems, items } = await finder.listPage(request.caller, question, page);
      return sendJsonText(reply, await toPageJson(toPaginationView(page, totalItems), items));
    },
  );

  app.post<{ Body: Static<typeof CursorSearch> }>(
    '/v2/tokens/search',
    {
      config: {
        permission: 'token:search',
        rateLimit: 'token-search',
        isReadOnly: true,
        problems: ['not-found'],
        examples: tokenListExamples.searchTokensV2,
      },
      schema: {
        operationId: 'searchTokensV2',
        summary: 'Search tokens by cursor',
        description:
          'Like the search with numbered pages, but follows a cursor: send `next` of a page as `start`. Here a container includes everything in it.',
        tags: ['Lists and search'],
        querystring: NoParameters,
        body: CursorSearch,
        response: { 200: TokenCursorPage },
      },
    },
    async (request, reply) => {
      const page = { start: request.body.start ?? undefined, size: request.body.size ?? sizeDefault };
      const question = { permission: 'token:search', query: withChildren(toQuery(request.body.query)) } as const;
      const { next, items } = await finder.listAfter(request.caller, question, page);
      return sendJsonText(reply, await toPageJson({ page_size: page.size, next }, items));
    },
  );
}

/** Returns undefined for an empty query, which makes the search a list. */
function toQuery(text: string | null | undefined): SearchQuery | undefined {
  return text === undefined || text === null || text === '' ? undefined : parseSearchQuery(text);
}

/** Extends container conditions to everything below, as the routes with cursors require. */
function withChildren(query: SearchQuery | undefined): SearchQuery | undefined {
  return query === undefined ? undefined : includeChildren(query);
}

async function toPageJson(pagination: object, items: readonly VisibleToken[]): Promise<string> {
  const texts = await mapInTurns(items, toTokenJson);
  return `{"pagination":${JSON.stringify(pagination)},"data":[${texts.join(',')}]}`;
}
