import { type DomainError, invalidField } from '../errors/domain-error.ts';

/**
 * Creates an error that says what was expected and where, but never what was found. A query may contain the very data
 * that was tokenized.
 */
export function invalidQuery(reason: string, offset: number): DomainError {
  return invalidField('query', `${reason} at offset ${offset}.`);
}
