import type { RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
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
    'If a request succeeded with the same key in the last 24 hours, shows what that one did, as the caller may see it now, and does nothing again.',
});
/** What stands in the place of `*` in a path. */
const RestOfPath = Type.Object({
  path: Type.String({
    description: 'Rest of the path. A client that encodes slashes can put it into the URL instead.',
  }),
});
const successTexts: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Done, with no content.',
};
/** An operation whose body may be left out; the generator of the document knows none. */
const bodyIsOptional = 'x-body-is-optional';

/** Adds what all routes have in common to the description of one; what is validated stays as it is. */
export function describeRoute<Schema>({ schema, url, route }: { schema: Schema; url: string; route: RouteOptions }): {
  schema: Schema;
  url: string;
} {
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
  return { schema: described as Schema, url: url.replace('*', ':path') };
}

/** `listApplicationKeys` is "List application keys". */
function toSummary(operationId: string): string {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Parameters are text; those that mean something else are described by what they mean. */
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

/** A raw response is that of somebody else, whatever its status and media type. */
function describeSuccesses(responses: Readonly<Record<string, TSchema>>, { config }: RouteOptions): object {
  const mediaTypes = config?.responseMediaTypes ?? [config?.isBodyRaw === true ? '*/*' : 'application/json'];
  const described = Object.entries(responses).map(([status, schema]) => {
    const { description = successTexts[status] ?? 'Success.', type } = schema as {
      description?: string;
      type?: string;
    };
    const isEmpty = type === 'null';
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
    return [status, isEmpty ? { type, description } : { description, content }];
  });
  return Object.fromEntries(described) as object;
}

/** Finishes the document: what its generator gets wrong about single operations. */
export function correctOperations<Document extends { readonly paths?: object }>(document: Document): Document {
  const correct = (operation: Record<string, unknown>) => {
    const { [bodyIsOptional]: isOptional, ...rest } = operation;
    if (isOptional !== true) return operation;
    return { ...rest, requestBody: { ...(operation['requestBody'] as object), required: false } };
  };
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods as Record<string, Record<string, unknown>>).map(([method, operation]) => [
        method,
        correct(operation),
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as object };
}
