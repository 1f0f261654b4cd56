/** Accepts ASCII digits only. Digits of other scripts would pass a Unicode test and then break every checksum. */
export function isDigitString(value: unknown, length: { readonly min: number; readonly max: number }): value is string {
  if (typeof value !== 'string' || value.length < length.min || value.length > length.max) return false;
  return digitsOnly.test(value);
}

// The pattern has one class and one repetition, so it cannot backtrack.
const digitsOnly = /^[0-9]*$/;
