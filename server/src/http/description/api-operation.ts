import type { FastifySchema, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { membersOf } from '../../core/objects/members-of.ts';
import type { RateLimit, RateLimitScope } from '../../platform/rate-limit/rate-limit-table.ts';
import type { ApiComponents } from '../routes/api-components.ts';
import { type ApiExample, isProblemExample, toNamedExamples } from '../routes/api-examples.ts';
import { describeParameters } from './api-parameters.ts';
import { describeTerms } from './api-terms.ts';
import { describeProblems } from './problem-responses.ts';
import { toHeader } from '../connections/response-header.ts';
import { permissionsNeeded } from '../routes/route-config.ts';

export interface OperationParts {
  readonly components: ApiComponents;
  /** Returns the limit of a scope. Undefined if requests are not limited. */
  readonly limitOf: ((scope: RateLimitScope) => RateLimit) | undefined;
}

const successTexts: Readonly<Record<string, string>> = { 200: 'Success.', 201: 'Created.', 204: 'No content.' };
const AnyContent = Type.Unknown({ description: 'Any content.' });

/** Describes a route as an OpenAPI operation, together with the parts that all routes share. */
export function describeOperation(route: RouteOptions, parts: OperationParts): object {
  const { schema = {}, config } = route;
  return {
    operationId: schema.operationId,
    tags: schema.tags,
    summary: schema.summary,
    description: `${schema.description ?? ''}\n\n${describeTerms(config, parts.limitOf)}`.trim(),
    parameters: describeParameters(route, parts.components),
    ...describeBody(route, parts.components),
    responses: { ...describeSuccesses(route, parts.components), ...describeProblems(route, parts.components) },
    // OpenAPI 3.1 §4.8.30.2 defines these as the names of the required roles.
    security: [{ apiKey: permissionsNeeded(config) }],
  };
}

/** Describes the body of a request. A raw body is passed on unchanged, and is optional. */
function describeBody({ schema = {}, config, method }: RouteOptions, components: ApiComponents): object {
  const isRaw = config?.isBodyRaw === true && method !== 'GET';
  const body = isRaw ? AnyContent : schema.body;
  if (body === undefined) return {};
  const [mediaType, ...others] = isRaw ? ['application/json', '*/*'] : (config?.mediaTypes ?? ['application/json']);
  // The malformed examples are explained by their responses.
  const shown = (config?.examples ?? []).filter(
    ({ request, isMalformed }) => request?.body !== undefined && isMalformed !== true,
  );
  const content = { schema: components.toSchema(body) };
  return {
    requestBody: {
      required: !isRaw,
      content: {
        [mediaType ?? '']: { ...content, examples: toNamedExamples(shown, ({ request }) => request?.body) },
        ...Object.fromEntries(others.map((other) => [other, content])),
      },
    },
  };
}

/** Describes the successful responses. A raw response comes from a third party, with any status and media type. */
function describeSuccesses({ schema = {}, config }: RouteOptions, components: ApiComponents): object {
  const responses = responsesOf(schema);
  const mediaTypes = config?.responseMediaTypes ?? [config?.isBodyRaw === true ? '*/*' : 'application/json'];
  const described = Object.entries(responses).map(([status, body]): [string, object] => {
    const examples = (config?.examples ?? []).filter((example) => statusIn(responses, example) === status);
    const headers = Object.entries(config?.responseHeaders?.[status] ?? {}).map(([name, text]): [string, object] => [
      name,
      toHeader('string', text),
    ]);
    const isEmpty = membersOf(body)['type'] === 'null';
    const toMedia = (mediaType: string): [string, object] => [
      mediaType,
      {
        schema: components.toSchema(body),
        examples: toNamedExamples(
          examples.filter((example) => (example.mediaType ?? mediaTypes[0]) === mediaType),
          ({ response }) => response,
        ),
      },
    ];
    return [
      status,
      {
        description: successTexts[status] ?? 'Success.',
        ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
        ...(isEmpty ? {} : { content: Object.fromEntries(mediaTypes.map(toMedia)) }),
      },
    ];
  });
  return Object.fromEntries(described);
}

/** Returns the response that an example belongs to, or undefined if it is a problem. */
function statusIn(responses: object, example: ApiExample): string | undefined {
  if (isProblemExample(example)) return undefined;
  return Object.hasOwn(responses, example.status) ? String(example.status) : 'default';
}

function responsesOf({ response }: FastifySchema): Readonly<Record<string, unknown>> {
  return membersOf(response);
}
