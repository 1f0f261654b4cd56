import { rateLimitScopes, rateLimitTable } from '../../../src/platform/rate-limit/rate-limit-table.ts';
import { type ApiOperation, operationsOf, tagsOf } from './api-operations.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

export function toApiPage(document: unknown): string {
  const operations = operationsOf(document);
  return toPage('Endpoints', [
    toParagraph(
      'Every running vault serves the interactive reference with parameters, schemas and examples at `/docs`, and the same as OpenAPI 3.1 at `/openapi.json`, unless `STRONGROOM_API_REFERENCE` is `false`. `strongroom dev` prints its address.',
    ),
    toParagraph(
      'A request carries its key in the `BT-API-KEY` header. [Permissions](permissions.md) says who can have which permission, [Errors](errors.md) what can go wrong. Sessions are created with the key of a public application and authorized with that of a private one.',
    ),
    ...tagsOf(document).flatMap(({ name, description }) => [
      `## ${name}`,
      toParagraph(description),
      toTable(
        ['Endpoint', 'What it does', 'Permission', 'Rate limit'],
        operations.filter(({ tag }) => tag === name).map(toRow),
      ),
    ]),
    '## Rate limits',
    toParagraph(
      'Requests are counted per client address. Every request counts as `global`, and as its own limit if it has another one. `STRONGROOM_RATE_LIMITS` changes limits by these names.',
    ),
    toTable(
      ['Name', 'Limit', 'Blocked for'],
      rateLimitScopes.map((scope) => {
        const { limit, windowMs, blockMs } = rateLimitTable[scope];
        return [toCode(scope), `${limit.toLocaleString('en')} in ${toDuration(windowMs)}`, toDuration(blockMs)];
      }),
    ),
    '## Outside the API',
    toParagraph(
      'On the port of the API: `/docs/errors` explains every error, `/portal/` is for members. The admin port serves health and metrics without a key; keep it private.',
    ),
    toTable(
      ['Endpoint', 'What it does'],
      [
        ['`GET /livez`', 'whether the process runs'],
        ['`GET /readyz`', 'whether it can serve; with `?verbose`, every check by name'],
        ['`GET /metrics`', '[metrics](../metrics.md) for Prometheus'],
      ],
    ),
  ]);
}

function toRow({ method, path, summary, permissions, rateLimit }: ApiOperation): string[] {
  return [
    toCode(`${method} ${path}`),
    summary,
    permissions.length === 0 ? 'any valid key' : permissions.map(toCode).join(' and '),
    toCode(rateLimit),
  ];
}

function toDuration(ms: number): string {
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 1_000} s`;
}
