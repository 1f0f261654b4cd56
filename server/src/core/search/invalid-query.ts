import { type DomainError, invalidField } from '../errors/domain-error.ts';

/** Says what was expected and where, never what was found: a query may contain the very data that was tokenized. */
export function invalidQuery(reason: string, offset: number): DomainError {
  return invalidField('query', `${reason} at offset ${offset}.`);
}
