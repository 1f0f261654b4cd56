/** A token as a response shows it. */
export interface ShownToken {
  readonly id: string;
  readonly type: string;
  readonly data?: unknown;
  readonly fingerprint?: string;
  readonly fingerprint_expression?: string;
}

/** How plaintext begins in these runs, and how a masked one does. */
const plaintext = /^(?:plain-|\d)/;
const masked = /^X/;

/** The transforms that a token can have been shown through, told by nothing but what is there to see. */
export function viewsOf(token: ShownToken): readonly string[] {
  // Without its content it is one that the caller was not allowed to read.
  if (token.fingerprint_expression === undefined) return ['redact'];
  if (token.data !== undefined) return viewsOfValue(token.data);
  // A token without a mask shows no data masked; it is told from a redacted one by its fingerprint.
  return [token.fingerprint === undefined ? 'redact' : 'mask'];
}

/** The same of a value that stands alone, of a token that has a mask. */
export function viewsOfValue(value: unknown): readonly string[] {
  if (value === null) return ['redact'];
  const text = typeof value === 'object' ? String((value as { number?: unknown }).number) : String(value);
  if (plaintext.test(text)) return ['reveal'];
  if (masked.test(text)) return ['mask'];
  throw new Error('A value is neither plaintext nor masked.');
}
