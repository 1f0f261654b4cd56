import type { RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { idempotencyHeader, isRepeatable } from './idempotency.ts';

/** What every refusal looks like: RFC 9457. */
const Problem = Type.Object(
  {
    type: Type.String({ description: 'A page about this kind of refusal.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  },
  { additionalProperties: false },
);
const limitHeaders = {
  'Retry-After': { type: 'integer', description: 'Seconds to wait.' },
  'X-RateLimit-Reset': { type: 'integer', description: 'When counting begins anew, in seconds since 1970.' },
  RateLimit: { type: 'string', description: 'draft-ietf-httpapi-ratelimit-headers' },
  'RateLimit-Policy': { type: 'string', description: 'draft-ietf-httpapi-ratelimit-headers' },
};
const IdempotencyHeader = Type.Object({
  [idempotencyHeader.toUpperCase()]: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Repeats the answer of a request that succeeded with the same key in the last 24 hours.',
    }),
  ),
});

/** Adds what all routes have in common to the description of one; what is validated stays as it is. */
export function describeRoute<Schema>({ schema, url, route }: { schema: Schema; url: string; route: RouteOptions }): {
  schema: Schema;
  url: string;
} {
  const own = schema as { hide?: boolean; response?: Record<string, TSchema> } | undefined;
  if (own === undefined || own.hide === true) return { schema, url };
  const described = {
    ...own,
    ...(route.config?.mediaTypes === undefined ? {} : { consumes: route.config.mediaTypes }),
    ...(isRepeatable(route.config, route.method) ? { headers: IdempotencyHeader } : {}),
    response: { ...own.response, ...describeRefusals(route.config?.problemField) },
  };
  return { schema: described as Schema, url };
}

function describeRefusals(problemField: string | undefined) {
  const content =
    problemField === undefined
      ? { 'application/problem+json': { schema: Problem } }
      : { 'application/json': { schema: Type.Object({ [problemField]: Problem }) } };
  return {
    429: { description: 'Too many requests from this address.', headers: limitHeaders, content },
    default: { description: 'A refusal; `type` says which.', content },
  };
}
