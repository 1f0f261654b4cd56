/** The length of a response that is read and kept. */
export const excerptBytesMax = 1_024;

/** At least nine digits, possibly with spaces or dashes between them, as in card numbers and account numbers. */
const longNumber = /\d(?:[\s\p{Pd}]{0,3}\d){8,}/gu;

/**
 * Returns the beginning of a response as text. Long numbers are masked, because a receiver may respond with anything and
 * the log of deliveries is stored as plaintext.
 */
export function toExcerpt(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, excerptBytesMax));
  // PostgreSQL cannot store NUL, and other control characters would garble a terminal.
  return text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').replaceAll(longNumber, (found) => found.replaceAll(/\d/g, 'X'));
}
