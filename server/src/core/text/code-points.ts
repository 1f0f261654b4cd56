/** How long a text is for every limit: a character outside the basic plane is one, though JavaScript holds it as two. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (!isHigh(text.charCodeAt(at)) || !isLow(text.charCodeAt(at + 1))) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** Looks into the text only where its length leaves the question open. */
export function isLongerThan(text: string, lengthMax: number): boolean {
  if (text.length <= lengthMax) return false;
  return text.length > 2 * lengthMax || countCodePoints(text) > lengthMax;
}

/**
 * A text as code points. Cutting in UTF-16 code units could leave half of a character behind, which no longer is text
 * once it is written as UTF-8.
 */
export function toCharacters(text: string): string[] {
  // Most text contains no surrogate pair, and splitting it by code units takes a third of the time (measured).
  return surrogate.test(text) ? Array.from(text) : text.split('');
}

const surrogate = /[\ud800-\udfff]/;

/** PostgreSQL's text holds neither NUL nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
