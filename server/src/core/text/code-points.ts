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

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
