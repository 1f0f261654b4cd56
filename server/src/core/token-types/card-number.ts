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
