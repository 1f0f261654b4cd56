import type { RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { membersOf } from '../core/objects/members-of.ts';
import { describeProblems } from './described-problems.ts';
import { idempotencyHeader, isRepeatable } from './idempotency.ts';
import { describedAs } from './query-parameters.ts';

interface RouteSchema {
  readonly hide?: boolean;
  readonly operationId?: string;
  readonly summary?: string;
  readonly params?: object;
  readonly querystring?: { readonly properties?: Record<string, object> };
  readonly body?: object;
  readonly response?: Readonly<Record<string, TSchema>>;
}

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'If a request with the same key succeeded in the last 24 hours, its result is returned as the caller may see it now, and nothing is done again.',
});
/** The value of `*` in a path. */
const RestOfPath = Type.Object({
  path: Type.String({
    description: 'The rest of the path. A client that encodes slashes can put it in the URL instead.',
  }),
});
const successTexts: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'No content.',
};
/** An operation with an optional body, which the document generator does not support. */
const bodyIsOptional = 'x-body-is-optional';

/** Adds what all routes have in common to the description of one; validation is not affected. */
export function describeRoute<Schema>({ schema, url, route }: { schema: Schema; url: string; route: RouteOptions }): {
  schema: Schema;
  url: string;
} {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- routes give no other schemas.
  const own = schema as RouteSchema | undefined;
  if (own === undefined || own.hide === true) return { schema, url };
  const described = {
    ...own,
    summary: own.summary ?? toSummary(own.operationId ?? ''),
    ...(url.endsWith('/*') ? { params: RestOfPath } : {}),
    ...(own.querystring === undefined ? {} : { querystring: describeQuery(own.querystring) }),
    ...describeBody(own, route),
    headers: describeHeaders(route),
    response: { ...describeSuccesses(own.response ?? {}, route), ...describeProblems(route) },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the generator only hands its type through.
  return { schema: described as Schema, url: url.replace('*', ':path') };
}

/** `listApplicationKeys` is "List application keys". */
function toSummary(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Parameters are text; those with another meaning are described by that meaning. */
function describeQuery(query: NonNullable<RouteSchema['querystring']>) {
  const properties = Object.entries(query.properties ?? {}).map(([name, property]) => {
    const { [describedAs]: meaning, ...rest } = property as { [describedAs]?: object; description?: string };
    return [name, meaning === undefined ? rest : { ...meaning, description: rest.description }];
  });
  return { ...query, properties: Object.fromEntries(properties) };
}

function describeBody({ body }: RouteSchema, { config, method }: RouteOptions): object {
  if (config?.isBodyRaw === true && method !== 'GET') {
    return {
      body: Type.Unknown({ description: 'Any content.' }),
      consumes: ['application/json', '*/*'],
      [bodyIsOptional]: true,
    };
  }
  return { body, ...(config?.mediaTypes === undefined ? {} : { consumes: config.mediaTypes }) };
}

function describeHeaders({ config, method }: RouteOptions): TSchema | undefined {
  if (!isRepeatable(config, method)) return config?.describedHeaders;
  return Type.Object({ [idempotencyHeader.toUpperCase()]: Type.Optional(IdempotencyKey) });
}

/** A raw response comes from a third party, with any status and media type. */
function describeSuccesses(responses: Readonly<Record<string, TSchema>>, { config }: RouteOptions): object {
  const mediaTypes = config?.responseMediaTypes ?? [config?.isBodyRaw === true ? '*/*' : 'application/json'];
  const described = Object.entries(responses).map(([status, schema]) => {
    const { description = successTexts[status] ?? 'Success.', type } = schema as {
      description?: string;
      type?: string;
    };
    const isEmpty = type === 'null';
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
    return [status, isEmpty ? { type, description } : { description, content }] as const;
  });
  return Object.fromEntries(described);
}

/** Corrects what the document generator gets wrong about single operations. */
export function correctOperations<Document extends { readonly paths?: object }>(document: Document): Document {
  const correct = (operation: Readonly<Record<string, unknown>>) => {
    const { [bodyIsOptional]: isOptional, ...rest } = operation;
    if (isOptional !== true) return operation;
    return { ...rest, requestBody: { ...membersOf(operation['requestBody']), required: false } };
  };
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(membersOf(methods)).map(([method, operation]) => [method, correct(membersOf(operation))]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}
