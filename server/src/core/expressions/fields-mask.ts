/*
 * The masks that a page with card fields may ask for. The frame and the server check the same, and both take it from
 * here.
 */

/** Matches the masks that show at most the last four characters of one member. */
const safeMask = /^\{\{\s*(data(?:\.[A-Za-z0-9_]+)*)\s*\|\s*(?:reveal_last:\s*[1-4]|card_mask)\s*\}\}$/;
/** The last four characters of a shorter value would be most of it. */
export const maskedLengthMin = 9;

/** Returns the path of the member that a mask shows the end of, beginning with `data`; undefined for any other mask. */
export function maskedPathOf(mask: string): readonly string[] | undefined {
  return safeMask.exec(mask)?.[1]?.split('.');
}

/** Returns true if a value is a text that is long enough to show its end. */
export function mayShowEnd(value: unknown): boolean {
  return typeof value === 'string' && value.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= maskedLengthMin;
}
