/** ASCII digits only: other scripts' digits would pass a Unicode test and then break every checksum. */
export function isDigitString(value: unknown, length: { readonly min: number; readonly max: number }): value is string {
  if (typeof value !== 'string' || value.length < length.min || value.length > length.max) return false;
  return digitsOnly.test(value);
}

// One class and one repetition: there is nothing to backtrack into.
const digitsOnly = /^[0-9]*$/;
