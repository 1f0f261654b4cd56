import type { JsonValue } from '../json/json-value.ts';
import { isDigitString } from './field-checks.ts';

const weights = [3, 7, 1] as const;

export function findRoutingNumberProblem(value: JsonValue | undefined): string | undefined {
  if (!isDigitString(value, { min: 9, max: 9 })) return 'The routing number must be a string of nine digits.';
  if (!passesAbaChecksum(value)) return 'The routing number has an invalid checksum.';
  return undefined;
}

/** Returns true if the digits weighted 3, 7, 1, 3, 7, 1, 3, 7, 1 add up to a multiple of ten. */
export function passesAbaChecksum(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) sum += Number(digits[index]) * (weights[index % 3] ?? 0);
  return sum % 10 === 0;
}
