import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { withoutReferences } from '../harness/openapi-document.ts';

/** A schema in the form of `/openapi.json`. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

type Check = (value: unknown) => boolean;

/** An API operation, with the description of its requests and responses. */
export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly Parameter[];
  readonly mediaType: string;
  readonly body: Schema | undefined;
  readonly isValidBody: Check;
  readonly isValidQuery: Check;
  /** Returns the check for a status: undefined if the description has no such response, `empty` if it has no body. */
  readonly answerOf: (status: number) => Check | 'empty' | undefined;
}

/** Lists every operation that the server itself describes. */
export function listOperations(document: unknown): ApiOperation[] {
  const { paths } = withoutReferences(document) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => toOperation(method.toUpperCase(), path, described)),
  );
}

function toOperation(method: string, path: string, described: Described): ApiOperation {
  const [mediaType = 'application/json', content] = Object.entries(described.requestBody?.content ?? {})[0] ?? [];
  const query = (described.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const answers = new Map<string, Check | 'empty'>(
    Object.entries(described.responses).map(([status, { content: answer }]) => {
      const schema = Object.values(answer ?? {})[0]?.schema;
      return [status, schema === undefined || schema.type === 'null' ? 'empty' : toCheck(schema)];
    }),
  );
  return {
    method,
    path,
    query,
    mediaType,
    body: content?.schema,
    isValidBody: content === undefined ? () => true : toCheck(content.schema),
    isValidQuery: toQueryCheck(query),
    answerOf: (status) => answers.get(String(status)) ?? (status >= 400 ? answers.get('default') : undefined),
  };
}

/**
 * Returns a check for query parameters. They are text, so a parameter that is described as a number has to look like
 * one.
 */
function toQueryCheck(query: readonly Parameter[]): Check {
  const integers = new Set(query.filter(({ schema }) => schema.type === 'integer').map(({ name }) => name));
  const check = toCheck({
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
  });
  return (given) => {
    const read = ([name, value]: [string, unknown]) => [name, integers.has(name) ? Number(value) : value];
    return check(Object.fromEntries(Object.entries(given as object).map(read)));
  };
}

function toCheck(schema: Schema): Check {
  const validator = Compile(schema as TSchema);
  return (value) => validator.Check(value);
}
