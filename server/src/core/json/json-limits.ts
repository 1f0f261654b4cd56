import { DomainError } from '../errors/domain-error.ts';

/**
 * Values in one document, at all depths. Traversing them takes time whatever they are: a megabyte
 * can hold half a million. A thousand tokens with fifty metadata keys each have 57,000.
 */
export const jsonValuesMax = 100_000;

/** Of a body or a record to import. Deeper than anything we accept on purpose; the limits of single endpoints lie below. */
export const jsonDepthMax = 64;

/** Of what was stored: it passed our parser once, and a map of fields may have put it deeper on its way in. */
export const storedDepthMax = 2 * jsonDepthMax;

export function tooManyValues(): DomainError {
  return new DomainError('validation-failed', `A document can have at most ${jsonValuesMax} values.`);
}
