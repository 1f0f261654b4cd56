/** Line ends, escape sequences, and marks that change the direction of text. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns text from others as one line that a terminal shows literally, so that it cannot imitate our own output. */
export function toOneLine(text: string): string {
  return text.replaceAll(controls, '?');
}

/** Works like `toOneLine`, but keeps line feeds and tabs. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, (character) => (character === '\n' || character === '\t' ? character : '?'));
}

/** Escapes such characters in JSON text, which keeps its meaning. */
export function withEscapedControls(json: string): string {
  // JSON has already escaped characters below U+0020. A line feed after the last brace is not part of the JSON.
  return json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => toEscape(character.charCodeAt(index))).join(''),
  );
}

function toEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
