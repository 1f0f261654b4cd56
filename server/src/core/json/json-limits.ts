import { DomainError } from '../errors/domain-error.ts';

/**
 * The most values in one document, at all depths. Traversing any value takes time, and a megabyte can hold half a
 * million. For comparison, a thousand tokens with fifty metadata keys each have 57,000.
 */
export const jsonValuesMax = 100_000;

/**
 * The most levels in a body or a record to import. No valid document is that deep; individual endpoints have lower
 * limits.
 */
export const jsonDepthMax = 64;

/**
 * The most levels in stored data. It has passed our parser once, but a field map may have nested it deeper during
 * import.
 */
export const storedDepthMax = 2 * jsonDepthMax;

export function tooManyValues(): DomainError {
  return new DomainError('validation-failed', `A document can have at most ${jsonValuesMax} values.`);
}
