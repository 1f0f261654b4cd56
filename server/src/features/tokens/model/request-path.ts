import { DomainError, type FieldErrors, invalidField } from '../../../core/errors/domain-error.ts';
import { ExpressionError } from '../../../core/expressions/expression-error.ts';

/** Joins `cards.0` and `data.number` into `cards.0.data.number`. An empty path adds nothing. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

export function invalidAt(path: string, field: string, message: string): DomainError {
  return invalidField(joinPath(path, field), message);
}

export function requireNoFieldErrors(path: string, errors: FieldErrors | undefined): void {
  if (errors !== undefined) throw fieldErrorsAt(path, errors);
}

export function fieldErrorsAt(path: string, errors: FieldErrors): DomainError {
  const fields = Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [joinPath(path, field), messages]),
  );
  return new DomainError('validation-failed', 'The request did not pass validation.', { fields });
}

/** Turns an expression error into a field error. Its message contains neither the expression nor a value. */
export function namingField<T>(path: string, field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asFieldError(path, field, error);
  }
}

/** Does the same as `namingField` for asynchronous work. */
export async function namingFieldOf<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asFieldError('', field, error);
  }
}

function asFieldError(path: string, field: string, error: unknown): unknown {
  return error instanceof ExpressionError ? invalidAt(path, [field, ...error.path].join('.'), error.message) : error;
}
