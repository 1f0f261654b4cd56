import type { FastifyInstance } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { hasMembers, membersOf } from '../../core/objects/members-of.ts';
import { toError } from '../../core/errors/thrown.ts';
import { DomainError, type FieldErrors, invalidField } from '../../core/errors/domain-error.ts';
import { ExactNumber } from '../../core/json/json-value.ts';
import { toFieldMessage } from './field-message.ts';
import { compileMisspellings } from './misspelled-members.ts';
import { resolveUnions, type SchemaError } from './schema-errors.ts';

/** A compiled schema. */
interface Validator<Value = unknown> {
  Check(value: unknown): value is Value;
  Errors(value: unknown): readonly SchemaError[];
}

/** The maximum number of errors reported per request. A body can contain a million errors. */
const errorsMax = 50;
/**
 * The maximum number of members of a value that is searched for errors. Finding errors takes about 3 µs per member, so
 * a body of maximum size would block all other requests for a third of a second.
 */
const membersMax = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The number of unknown members of the body. It appears in the request log. */
    unknownMembers: number;
  }
}

/** Adds validation. Each schema is compiled before its route is served. Values are neither coerced nor removed. */
export function addValidation(app: FastifyInstance): void {
  app.decorateRequest('unknownMembers', 0);
  app.addHook('preHandler', (request, _reply, done) => {
    request.unknownMembers = countUnknownMembers(request.body);
    done();
  });
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const validator = compileSchema(schema);
    const wrongName = httpPart === 'querystring' ? describeNames(schema) : undefined;
    return (value: unknown) => {
      try {
        if (validator.Check(value)) return { value };
        const fields = findFieldErrors(validator, value, httpPart ?? 'body', wrongName);
        return { error: new DomainError('validation-failed', 'The request did not pass validation.', { fields }) };
      } catch (error) {
        return { error: toError(error) };
      }
    };
  });
}

/** Routes share schemas, and a process can have several servers. Each schema is compiled once for all of them. */
const compiledSchemas = new WeakMap<TSchema, Validator>();

/**
 * Returns a check of parsed JSON against a schema. It rejects members whose name closely resembles one of the schema.
 * The schema must not be changed afterwards.
 */
export function compileSchema<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  const known = compiledSchemas.get(schema);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored under the schema that it checks
  if (known !== undefined) return known as Validator<Static<Schema>>;
  const validator = compileAnew(schema);
  compiledSchemas.set(schema, validator);
  return validator;
}

function compileAnew<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  const validator = Compile(schema);
  const findMisspellings = compileMisspellings(schema);
  return {
    Check(value): value is Static<Schema> {
      if (!validator.Check(withoutExactNumbers(value, schema, ''))) return false;
      const { paths, unknownCount } = findMisspellings(value);
      if (unknownCount > 0 && hasMembers(value)) unknownCounts.set(value, unknownCount);
      return paths.length === 0;
    },
    Errors: (value) => [
      ...validator.Errors(withoutExactNumbers(value, schema, '')),
      ...findMisspellings(value).paths.map(toMisspellingError),
    ],
  };
}

const unknownCounts = new WeakMap<object, number>();

/** Returns how many members of a checked value resemble no member of its schema and are therefore ignored. */
export function countUnknownMembers(value: unknown): number {
  return hasMembers(value) ? (unknownCounts.get(value) ?? 0) : 0;
}

function toMisspellingError(path: readonly string[]): SchemaError {
  return {
    keyword: 'misspelled',
    schemaPath: '',
    instancePath: path.map((segment) => `/${escapePointer(segment)}`).join(''),
    params: {},
  };
}

/** The keywords of a schema that describe the parts of a value. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly anyOf?: readonly Shape[];
}

const unlikeAnything = Symbol('exact number');

/**
 * Replaces numbers that are kept as text, such as `1e400`. The validator would treat one as an object and accept it,
 * for example as metadata. It is therefore checked as something that matches no schema type. Parts that a schema does
 * not describe, such as the data of a token, are not traversed, because they may be a megabyte long.
 */
function withoutExactNumbers(value: unknown, shape: Shape, path: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (shape.anyOf !== undefined)
    return shape.anyOf.reduce<unknown>((judged, option) => withoutExactNumbers(judged, option, path), value);
  if (value instanceof ExactNumber) return shape.type === undefined ? value : unlikeAnything;

  const { items, maxItems = Number.POSITIVE_INFINITY, properties = {}, patternProperties } = shape;
  if (Array.isArray(value)) {
    // An array that is too long is rejected anyway.
    return items === undefined || value.length > maxItems
      ? value
      : value.map((item) => withoutExactNumbers(item, items, path));
  }
  const [pattern] = Object.values(patternProperties ?? {});
  const names = pattern === undefined ? Object.keys(properties) : Object.keys(value);
  if (names.length > membersMax) throw invalidField(path, 'has too many members');
  const members = membersOf(value);
  const changed = names.flatMap((name) => {
    const inner = properties[name] ?? pattern;
    if (inner === undefined || !Object.hasOwn(members, name)) return [];
    const judged = withoutExactNumbers(members[name], inner, path === '' ? name : `${path}.${name}`);
    return judged === members[name] ? [] : [[name, judged] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** Returns the errors of an invalid value. For a very large value, it reports only that the value is invalid. */
export function findFieldErrors(
  validator: Validator,
  value: unknown,
  part: string,
  wrongName = 'has a name that is not allowed here',
): FieldErrors {
  if (!isWithin(membersMax, value)) return { [part]: ['is not valid, and has too many members to report where'] };
  return toFieldErrors(validator.Errors(value), part, wrongName);
}

/** Returns the message for an unknown query parameter. */
function describeNames(schema: TSchema): string {
  const names = Object.keys((schema as { properties?: object }).properties ?? {});
  if (names.length === 0) return 'must be empty: this endpoint takes no parameters';
  return `has an unknown parameter; known parameters are ${names.join(', ')}`;
}

/** Returns true if a value has at most this many members, at all depths. */
function isWithin(max: number, value: unknown): boolean {
  const unseen: unknown[] = [value];
  let count = 0;
  while (unseen.length > 0) {
    const one = unseen.pop();
    if (typeof one !== 'object' || one === null) continue;
    // Members are counted by name, because reading the values of a very large object takes three times as long.
    count += Array.isArray(one) ? one.length : Object.keys(one).length;
    if (count > max) return false;
    unseen.push(...(Array.isArray(one) ? (one as unknown[]) : Object.values(one)));
  }
  return true;
}

/** Groups messages by field path. `part` is the location of an error that belongs to no single field. */
function toFieldErrors(errors: readonly SchemaError[], part: string, wrongName: string): FieldErrors {
  const fields: Record<string, string[]> = {};
  for (const error of resolveUnions(errors).slice(0, errorsMax)) {
    for (const [path, message] of toFieldMessages(error, part, wrongName)) (fields[path] ??= []).push(message);
  }
  return fields;
}

function toFieldMessages(error: SchemaError, part: string, wrongName: string): [string, string][] {
  // For a member with a disallowed name, the error of the enclosing object says so without repeating the name.
  if (error.keyword === 'boolean') return [];
  const path = error.instancePath.split('/').filter(Boolean).map(unescapePointer);
  if (error.keyword === 'required') {
    const { requiredProperties } = membersOf(error.params);
    const names: unknown[] = Array.isArray(requiredProperties) ? requiredProperties : [];
    return names.map((name) => [[...path, name].join('.'), 'is required']);
  }
  const message = error.keyword === 'additionalProperties' ? wrongName : toFieldMessage(error, part);
  return [[path.join('.') || part, message]];
}

/** Escapes a segment of a JSON pointer (RFC 6901 §3). */
function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Unescapes a segment of a JSON pointer (RFC 6901 §4). */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
