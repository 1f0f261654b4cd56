import { findCardBrand } from './card-brand.ts';
import type { CardDetails } from './token-type.ts';
import type { JsonValue } from '../json/json-value.ts';
import { isDigitString } from './digit-string.ts';
import { passesLuhn } from './luhn.ts';

export function findCardNumberProblem(value: JsonValue | undefined): string | undefined {
  if (!isCardNumberShaped(value)) return 'The card number must be a string of 12 to 19 digits without separators.';
  if (!passesLuhn(value)) return 'The card number has an invalid checksum.';
  return undefined;
}

export function isCardNumberShaped(value: JsonValue | undefined): value is string {
  return isDigitString(value, { min: 12, max: 19 });
}

/**
 * Returns the part of a card number that may be shown: never more than the issuer's prefix and the last four digits.
 */
export function toCardDetails(number: JsonValue | undefined): CardDetails | undefined {
  if (!isCardNumberShaped(number)) return undefined;

  const brand = findCardBrand(number);
  return {
    // Issuer prefixes have had eight digits since ISO/IEC 7812-1:2017. Shorter numbers keep the old six.
    bin: number.slice(0, number.length < 16 ? 6 : 8),
    last4: number.slice(-4),
    ...(brand !== undefined && { brand }),
  };
}
