import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { DomainError, type FieldErrors } from '../core/errors/domain-error.ts';
import { ExactNumber } from '../core/json/json-value.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: unknown;
  readonly message: string;
}

/** What a compiled schema offers. */
interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly SchemaError[];
}

/** Reports at most this many errors of one request: a body can be wrong in a million places. */
const errorsMax = 50;
/** Looking for errors takes some 3 µs a member, so a megabyte of them would hold every other request up for a second. */
const membersMax = 10_000;

/** Every schema is compiled once, when its route is added. Values are checked as they are: nothing is coerced or removed. */
export function addValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const validator = compileSchema(schema);
    return (value: unknown) => {
      if (validator.Check(value)) return { value };
      const fields = findFieldErrors(validator, value, httpPart ?? 'body');
      return { error: new DomainError('validation-failed', 'The request did not pass validation.', { fields }) };
    };
  });
}

/** A schema as a check of parsed JSON. */
export function compileSchema(schema: TSchema): Validator {
  const validator = Compile(schema);
  return {
    Check: (value) => validator.Check(withoutExactNumbers(value)),
    Errors: (value) => validator.Errors(withoutExactNumbers(value)),
  };
}

/**
 * A number that is carried as text is an object to the validator, and would pass for one: `1e400` as metadata. It is
 * judged as something that is none of the types that a schema can ask for.
 */
function withoutExactNumbers(value: unknown): unknown {
  return holdsExactNumber(value) ? replaceExactNumbers(value) : value;
}

const unlikeAnything = Symbol('exact number');

function holdsExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof ExactNumber || membersOf(value).some(holdsExactNumber);
}

function replaceExactNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ExactNumber) return unlikeAnything;
  if (Array.isArray(value)) return value.map(replaceExactNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceExactNumbers(member)]));
}

function membersOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}

/** What is wrong with a value that did not pass; of a very large one only that it did not. */
export function findFieldErrors(validator: Validator, value: unknown, part: string): FieldErrors {
  if (!isWithin(membersMax, value)) return { [part]: ['is not valid, and has too many members to say where'] };
  return toFieldErrors(validator.Errors(value), part);
}

/** Whether a value has at most so many members, at all depths together. */
function isWithin(max: number, value: unknown): boolean {
  const unseen: unknown[] = [value];
  let count = 0;
  while (unseen.length > 0) {
    const one = unseen.pop();
    if (typeof one !== 'object' || one === null) continue;
    const members = membersOf(one);
    count += members.length;
    if (count > max) return false;
    unseen.push(...members);
  }
  return true;
}

/** Messages by field path; `part` names the place of an error that belongs to no single field. */
function toFieldErrors(errors: readonly SchemaError[], part: string): FieldErrors {
  const fields: Record<string, string[]> = {};
  for (const error of errors.slice(0, errorsMax)) {
    for (const [path, message] of toFieldMessages(error, part)) (fields[path] ??= []).push(message);
  }
  return fields;
}

function toFieldMessages(error: SchemaError, part: string): [string, string][] {
  // A member whose name is not allowed: the error of the object around it says so without repeating the name.
  if (error.keyword === 'boolean') return [];
  const path = error.instancePath.split('/').filter(Boolean).map(unescapePointer);
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: readonly string[] };
    return requiredProperties.map((name) => [[...path, name].join('.'), 'is required']);
  }
  const message = error.keyword === 'additionalProperties' ? 'has a name that is not allowed here' : error.message;
  return [[path.join('.') || part, message]];
}

/** RFC 6901 §4. */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
