import { DomainError } from '../errors/domain-error.ts';

/**
 * The maximum number of values in one document, at all depths. Traversing values takes time, and a megabyte can hold
 * half a million of them. For comparison, a thousand tokens with fifty metadata keys each contain 57,000.
 */
export const jsonValuesMax = 100_000;

/**
 * The maximum nesting depth of a body or a record to import. No valid document is that deep; individual endpoints have
 * lower limits.
 */
export const jsonDepthMax = 64;

/**
 * The maximum nesting depth of stored data. The data has passed our parser once, but a field map may have nested it
 * deeper during import.
 */
export const storedDepthMax = 2 * jsonDepthMax;

export function tooManyValues(): DomainError {
  return new DomainError('validation-failed', `A document can have at most ${jsonValuesMax} values.`);
}
