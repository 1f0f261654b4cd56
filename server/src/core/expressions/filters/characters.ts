/**
 * A text as code points. Cutting in UTF-16 code units could leave half of a character behind, which no longer is text
 * once it is written as UTF-8.
 */
export function toCharacters(text: string): string[] {
  return Array.from(text);
}
