/* The masks that a page with card fields may request. The frame and the server share this check. */

/** Matches the masks that show at most the last four characters of one member. */
const safeMask = /^\{\{\s*(data(?:\.[A-Za-z0-9_]+)*)\s*\|\s*(?:reveal_last:\s*[1-4]|card_mask)\s*\}\}$/;
/** The last four characters would make up most of a shorter value. */
export const maskedLengthMin = 9;

/** Returns the path, beginning with `data`, of the member whose end a mask shows; undefined for any other mask. */
export function maskedPathOf(mask: string): readonly string[] | undefined {
  return safeMask.exec(mask)?.[1]?.split('.');
}

/** Returns true if a value is a text that is long enough for its end to be shown. */
export function mayShowEnd(value: unknown): boolean {
  return typeof value === 'string' && value.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= maskedLengthMin;
}
