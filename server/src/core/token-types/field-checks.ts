import type { FieldErrors } from '../errors/domain-error.ts';

/**
 * Checks the Luhn checksum (ISO/IEC 7812-1 annex B): from the right, every second digit is doubled and its digits are
 * added.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** Accepts ASCII digits only. Digits of other scripts would pass a Unicode test and then break every checksum. */
export function isDigitString(value: unknown, length: { readonly min: number; readonly max: number }): value is string {
  if (typeof value !== 'string' || value.length < length.min || value.length > length.max) return false;
  return digitsOnly.test(value);
}

// The pattern has one class and one repetition, so it cannot backtrack.
const digitsOnly = /^[0-9]*$/;

/** Collects all invalid fields, so that a caller can fix them in one go. */
export function collectFieldErrors(problems: Readonly<Record<string, string | undefined>>): FieldErrors | undefined {
  const errors: Record<string, readonly string[]> = {};
  for (const [path, problem] of Object.entries(problems)) {
    if (problem !== undefined) errors[path] = [problem];
  }
  return Object.keys(errors).length === 0 ? undefined : errors;
}
