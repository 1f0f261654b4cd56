import { DomainError } from '../errors/domain-error.ts';

/**
 * Values in one document, at all depths. Traversing them takes time whatever they are: a megabyte
 * can hold half a million. A thousand tokens with fifty metadata keys each have 57,000.
 */
export const jsonValuesMax = 100_000;

export function tooManyValues(): DomainError {
  return new DomainError('validation-failed', `A document can have at most ${jsonValuesMax} values.`);
}
