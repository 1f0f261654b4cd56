/** A token as a response shows it. */
export interface ShownToken {
  readonly id: string;
  readonly type: string;
  readonly data?: unknown;
  readonly fingerprint?: string;
  readonly fingerprint_expression?: string;
}

/** The prefixes of plaintext and of masked values in these runs. */
const plaintext = /^(?:plain-|\d)/;
const masked = /^X/;

/** Returns the transforms through which a token may have been shown, judged only by its content. */
export function viewsOf(token: ShownToken): readonly string[] {
  // If a token has no content, the caller was not allowed to read it.
  if (token.fingerprint_expression === undefined) return ['redact'];
  if (token.data !== undefined) return viewsOfValue(token.data);
  // A token without a mask shows no masked data. Its fingerprint distinguishes it from a redacted token.
  return [token.fingerprint === undefined ? 'redact' : 'mask'];
}

/** Returns the same for a single value of a token that has a mask. */
export function viewsOfValue(value: unknown): readonly string[] {
  if (value === null) return ['redact'];
  const text = typeof value === 'string' ? value : ((value as { readonly number?: string }).number ?? '');
  if (plaintext.test(text)) return ['reveal'];
  if (masked.test(text)) return ['mask'];
  throw new Error('A value is neither plaintext nor masked.');
}
