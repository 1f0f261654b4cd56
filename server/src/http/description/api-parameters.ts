import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { membersOf } from '../../core/objects/members-of.ts';
import type { ApiComponents } from '../routes/api-components.ts';
import type { ApiExample, ExampleRequest } from '../routes/api-examples.ts';
import { idempotencyHeader, isRepeatable } from '../requests/idempotency.ts';
import { describedAs } from '../parameters/query-parameters.ts';

type Place = 'path' | 'query' | 'header';
type ParameterPart = Extract<keyof ExampleRequest, 'path' | 'query' | 'headers'>;

/** The parameter for `*` in a path. */
const RestOfPath = Type.Object({
  path: Type.String({
    description: 'The rest of the path. A client that encodes slashes can put it in the URL instead.',
  }),
});
const IdempotencyKey = Type.Object({
  [idempotencyHeader.toUpperCase()]: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'If a request with the same key succeeded in the last 24 hours, its result is returned as the caller may see it now, and nothing is done again.',
    }),
  ),
});

/** Describes the parameters of a route, each with its value in the first example that uses it. */
export function describeParameters(route: RouteOptions, components: ApiComponents): object[] {
  const { url, schema = {}, config, method } = route;
  const headers = isRepeatable(config, method) ? IdempotencyKey : config?.describedHeaders;
  const places: readonly (readonly [Place, unknown, ParameterPart])[] = [
    ['path', url.endsWith('/*') ? RestOfPath : schema.params, 'path'],
    ['query', schema.querystring, 'query'],
    ['header', headers, 'headers'],
  ];
  return places.flatMap(([place, described, part]) => {
    const { properties, required = [] } = membersOf(described);
    return Object.entries(membersOf(properties)).map(([name, property]) => {
      const { description, ...form } = toMeaning(property);
      const example = findExample(config?.examples, part, name);
      return {
        name,
        in: place,
        required: Array.isArray(required) && required.includes(name),
        description,
        schema: components.toSchema(form),
        ...(example === undefined ? {} : { example: form['type'] === 'integer' ? Number(example) : example }),
      };
    });
  });
}

/**
 * Returns the schema of a parameter. Every parameter is sent as text, but is described as the type that it represents.
 */
function toMeaning(property: unknown): Readonly<Record<string, unknown>> {
  const { [describedAs]: meaning, ...rest } = membersOf(property);
  return meaning === undefined ? rest : { ...membersOf(meaning), description: rest['description'] };
}

function findExample(examples: readonly ApiExample[] = [], part: ParameterPart, name: string): string | undefined {
  const using = examples.find(({ request, problem }) => problem === undefined && request?.[part]?.[name] !== undefined);
  return using?.request?.[part]?.[name];
}
