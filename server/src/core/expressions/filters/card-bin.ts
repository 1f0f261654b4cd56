/** Issuers number their cards with eight leading digits; shorter card numbers still carry the older six. */
export function binLength(digitCount: number): number {
  return digitCount < 16 ? 6 : 8;
}
