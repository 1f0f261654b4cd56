import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { DomainError, type FieldErrors } from '../core/errors/domain-error.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: unknown;
  readonly message: string;
}

/** Reports at most this many errors of one request: a body can be wrong in a million places. */
const errorsMax = 50;

/** Every schema is compiled once, when its route is added. Values are checked as they are: nothing is coerced or removed. */
export function addValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const validator = Compile(schema);
    return (value: unknown) => {
      if (validator.Check(value)) return { value };
      const fields = toFieldErrors(validator.Errors(value), httpPart ?? 'body');
      return { error: new DomainError('validation-failed', 'The request did not pass validation.', { fields }) };
    };
  });
}

/** Messages by field path; `part` names the place of an error that belongs to no single field. */
export function toFieldErrors(errors: readonly SchemaError[], part: string): FieldErrors {
  const fields: Record<string, string[]> = {};
  for (const error of errors.slice(0, errorsMax)) {
    for (const [path, message] of toFieldMessages(error, part)) (fields[path] ??= []).push(message);
  }
  return fields;
}

function toFieldMessages(error: SchemaError, part: string): [string, string][] {
  const path = error.instancePath.split('/').filter(Boolean).map(unescapePointer);
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: readonly string[] };
    return requiredProperties.map((name) => [[...path, name].join('.'), 'is required']);
  }
  return [[path.join('.') || part, error.message]];
}

/** RFC 6901 §4. */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
