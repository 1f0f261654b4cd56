import { membersOf } from '../../core/objects/members-of.ts';
import { noneOf, type SchemaError } from './schema-errors.ts';
import { storableText } from './text-schemas.ts';

type Params = Readonly<Record<string, unknown>>;

export const misspelledMember = 'is misspelled: the request has an unknown member with a very similar name';

const kinds: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const formats: Readonly<Record<string, string>> = { uuid: 'a UUID', 'date-time': 'an ISO 8601 date-time' };

const messages: Readonly<Record<string, (params: Params) => string>> = {
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  enum: ({ allowedValues }) => `must be one of ${listOf(allowedValues)}`,
  format: ({ format }) => `must be ${formats[String(format)] ?? 'in the expected form'}`,
  maxItems: ({ limit }) => (limit === 0 ? 'must be empty' : `must have at most ${String(limit)} items`),
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  maxProperties: ({ limit }) => `must have at most ${String(limit)} members`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} items`),
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} characters`),
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  misspelled: () => misspelledMember,
  [noneOf]: ({ kinds: expected }) => `must be ${describeKinds(expected)}`,
  pattern: ({ pattern }) =>
    String(pattern) === storableText ? 'must be well-formed text without NUL' : 'is not in the expected form',
  type: ({ type }) => `must be ${kinds[String(type)] ?? 'something else'}`,
};

/**
 * Describes what is expected in a field, in terms of the API and not of its schema. The value that was sent is not
 * repeated.
 */
export function toFieldMessage({ keyword, params }: SchemaError, part: string): string {
  // A query contains only text, and several values with one name become an array.
  if (part === 'querystring' && keyword === 'type') return 'must be given only once';
  return messages[keyword]?.(membersOf(params)) ?? 'is not valid';
}

/** Returns `a string or an array`, or for constants `one of csv, ndjson`. */
function describeKinds(errors: unknown): string {
  const expected = Array.isArray(errors) ? (errors as readonly SchemaError[]) : [];
  const constants = expected.filter(({ keyword }) => keyword === 'const');
  const values = constants.map(({ params }) => String(membersOf(params)['allowedValue']));
  // A constant is reported together with its type.
  const places = new Set(constants.map(({ schemaPath }) => schemaPath));
  const others = expected.filter(({ keyword, schemaPath }) => keyword === 'type' && !places.has(schemaPath));
  return [
    ...others.map(({ params }) => kinds[String(membersOf(params)['type'])] ?? 'something else'),
    ...(values.length === 0 ? [] : [`one of ${values.join(', ')}`]),
  ].join(' or ');
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : '';
}
