/** Returns the number of leading digits that identify the issuer: eight, or the older six for shorter card numbers. */
export function binLength(digitCount: number): number {
  return digitCount < 16 ? 6 : 8;
}
