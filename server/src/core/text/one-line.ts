/** Line ends, escape sequences, and marks that turn the direction of text around. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that others have chosen, as one line that a terminal shows as it is: it cannot pass for a line of ours. */
export function toOneLine(text: string): string {
  return text.replaceAll(controls, '?');
}

/** The same for text that has lines of its own. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, (character) => (character === '\n' || character === '\t' ? character : '?'));
}

/** JSON text in which such characters are escaped: it means the same. */
export function withEscapedControls(json: string): string {
  // Below U+0020 JSON has escaped them already; a line feed behind the last brace is not part of it.
  return json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => toEscape(character.charCodeAt(index))).join(''),
  );
}

function toEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
