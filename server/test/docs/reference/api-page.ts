import { rateLimitScopes, rateLimitTable } from '../../../src/platform/rate-limit/rate-limit-table.ts';
import { type ApiOperation, operationsOf, tagsOf } from './api-operations.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

/** The pages that explain a part of the API, by its tag. `npm run check:docs` knows whether they exist. */
const readMore: Readonly<Record<string, readonly string[]>> = {
  Tokens: [
    '[Tokens](../concepts/tokens.md) explains them, and [Your first card](../start/first-card.md) shows the calls.',
  ],
  'Lists and search': ['[How search works](../concepts/tokens.md#how-search-works).'],
  Tokenize: ['[Many at once](../concepts/tokens.md#many-at-once).'],
  'Token intents': ['[Token intents](../concepts/token-intents.md) explains them.'],
  Proxy: ['[Charge a card](../guides/charge-a-card.md) shows a call.'],
  'Stored proxies': ['[Receive cards from a partner](../guides/stored-proxies.md) shows two.'],
  Sessions: [
    '[Sessions](../concepts/sessions.md) explains them, and [Collect a card from a browser](../guides/collect-a-card.md) uses one.',
  ],
  'Client keys': ['[Client keys](../concepts/client-keys.md) explains them.'],
  Applications: ['[Containers and rules](../concepts/containers-and-rules.md) explains what they may do.'],
  Access: ['[Which rule decides](../concepts/containers-and-rules.md#which-rule-decides).'],
  Tenant: ['[Serve many customers](../guides/multi-tenant.md) compares tenants with containers.'],
  Invitations: ['[Invite a member](../guides/invite-a-member.md) shows the calls.'],
  Logs: [
    '[Audit log](../concepts/audit-log.md) explains them, and [Respond to an incident](../guides/answer-an-incident.md) uses them.',
  ],
  Webhooks: ['[Receive events](../guides/webhooks.md) shows the calls.'],
};

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
      toParagraph([description, ...(readMore[name] ?? [])].join(' ')),
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
