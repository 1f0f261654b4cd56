import type { RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../core/errors/domain-error.ts';
import { nameSchemas } from './api-components.ts';
import { isRepeatable } from './idempotency.ts';
import { problemCatalog } from './problem-catalog.ts';

/** The form of every error response: RFC 9457. */
const Problem = Type.Object(
  {
    type: Type.String({ description: 'Path of a page that describes this type of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'The route, without the values in its path.' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Error messages by field path.' }),
    ),
  },
  { additionalProperties: false },
);
nameSchemas({ Problem });

const waitHeaders = { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } };
const limitHeaders = {
  ...waitHeaders,
  'X-RateLimit-Reset': { type: 'integer', description: 'When the count is reset, as a Unix time in seconds.' },
  RateLimit: { type: 'string', description: 'draft-ietf-httpapi-ratelimit-headers' },
  'RateLimit-Policy': { type: 'string', description: 'draft-ietf-httpapi-ratelimit-headers' },
};
const headersOf: Readonly<Record<number, object>> = { 429: limitHeaders, 503: waitHeaders };

/** Common to all routes: the connection, the key, the limits, a tenant deleted in the meantime, the vault itself. */
const anywhere: readonly ErrorCode[] = [
  'malformed-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'request-timeout',
  'header-too-large',
  'rate-limited',
  'internal-error',
  'overloaded',
  'key-service-unavailable',
];

/** The error responses of a route by status: those of all routes, those implied by its parts, and those it declares. */
export function describeProblems(route: RouteOptions): Record<string, object> {
  const codes = new Set([...anywhere, ...codesOfParts(route), ...(route.config?.problems ?? [])]);
  const byStatus = Map.groupBy(codes, (code) => problemCatalog[code].status);
  const content = describeContent(route.config?.problemField);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: describeCodes(ofStatus),
        ...(headersOf[status] === undefined ? {} : { headers: headersOf[status] }),
        content,
      },
    ]),
  );
}

function codesOfParts({ schema, config, method }: RouteOptions): ErrorCode[] {
  const isRead = method === 'GET';
  const hasInput = schema?.body !== undefined || schema?.querystring !== undefined;
  const canRepeat = isRepeatable(config, method);
  return [
    ...(hasInput || canRepeat ? (['validation-failed'] as const) : []),
    // A body is read even if the route does not use it, and an invalid content type is rejected at once.
    ...(isRead ? [] : (['body-too-large', 'unsupported-media-type'] as const)),
    ...(schema?.body === undefined ? [] : (['malformed-json'] as const)),
    ...(canRepeat ? (['idempotency-in-flight', 'idempotency-answer-not-kept'] as const) : []),
  ];
}

function describeCodes(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${problemCatalog[code].meaning}`).join('\n\n');
}

/** In a separate member, where published clients expect it. */
function describeContent(problemField: string | undefined): object {
  return problemField === undefined
    ? { 'application/problem+json': { schema: Problem } }
    : { 'application/json': { schema: wrap(problemField) } };
}

function wrap(problemField: string): TSchema {
  return Type.Object({ [problemField]: Problem }, { title: 'ProxyProblem' });
}
