/**
 * A text as code points. Cutting in UTF-16 code units could leave half of a character behind, which no longer is text
 * once it is written as UTF-8.
 */
export function toCharacters(text: string): string[] {
  // Most text contains no surrogate pair, and splitting it by code units takes a third of the time (measured).
  return surrogate.test(text) ? Array.from(text) : text.split('');
}

const surrogate = /[\ud800-\udfff]/;
