import { DomainError } from '../errors/domain-error.ts';
import { ExactNumber } from './json-value.ts';

// The pattern is sticky and has no nested repetition, so it runs in time proportional to the number it matches.
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The literal content of a string, up to its end or an escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what a string must not hold
const plainPattern = /[^"\\\u0000-\u001f]*/y;
/**
 * Strings of at least this length are checked by `JSON.parse`, because it is compiled code. A regular expression took
 * 49 ms for 4 MB in a vault under load (measured).
 */
const longLength = 4_096;
/** Tables indexed by character code. */
const escapeLetters = codeTable('"\\/bfnrt');
const hexDigits = codeTable('0123456789abcdefABCDEF');

/** Scans the text of a document and reads everything except objects and arrays. */
export class JsonScanner {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  parseString(): string {
    const start = this.at + 1;
    const end = this.#text.indexOf('"', start);
    if (end - start >= longLength && this.#isPlain(start, end)) {
      this.at = end + 1;
      return this.#text.slice(start, end);
    }
    plainPattern.lastIndex = start;
    plainPattern.test(this.#text);
    this.at = plainPattern.lastIndex;
    if (this.accept(0x22)) return this.#text.slice(start, this.at - 1);

    this.#skipToQuote();
    // Every escape has been checked. Assembling the string here took ten times as long (measured).
    return String(JSON.parse(this.#text.slice(start - 1, this.at)));
  }

  /**
   * Returns true if a long text contains neither escapes nor characters that a string must not contain. Returns false
   * if in doubt.
   */
  #isPlain(start: number, end: number): boolean {
    const quoted = this.#text.slice(start - 1, end + 1);
    if (quoted.includes('\\')) return false;
    try {
      JSON.parse(quoted);
      return true;
    } catch {
      return false;
    }
  }

  #skipToQuote(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      if (code === 0x5c) this.#skipEscape();
      else if (code >= 0x20) this.at += 1;
      else throw this.failure(Number.isNaN(code) ? 'Unterminated string' : 'Control character in a string');
      if (code === 0x22) return;
    }
  }

  #skipEscape(): void {
    const letter = this.#text.charCodeAt(this.at + 1);
    this.at += 2;
    if (letter !== 0x75) {
      if (escapeLetters[letter] !== true) throw this.failure('Unknown escape');
      return;
    }
    for (let index = this.at; index < this.at + 4; index += 1) {
      if (hexDigits[this.#text.charCodeAt(index)] !== true) throw this.failure('Malformed unicode escape');
    }
    this.at += 4;
  }

  parseNumber(): number | ExactNumber {
    const code = this.#text.charCodeAt(this.at);
    if (code !== 0x2d && !(code >= 0x30 && code <= 0x39)) throw this.failure('Expected a value');
    numberPattern.lastIndex = this.at;
    if (!numberPattern.test(this.#text)) throw this.failure('Malformed number');
    const text = this.#text.slice(this.at, numberPattern.lastIndex);
    this.at += text.length;
    const value = Number(text);
    return String(value) === text ? value : new ExactNumber(text);
  }

  parseWord<Word extends true | false | null>(word: string, meaning: Word): Word {
    if (!this.#text.startsWith(word, this.at)) throw this.failure('Expected a value');
    this.at += word.length;
    return meaning;
  }

  skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  accept(code: number): boolean {
    if (this.#text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.accept(code)) throw this.failure(`Expected "${String.fromCharCode(code)}"`);
  }

  failure(reason: string): DomainError {
    return new DomainError('malformed-json', `${reason} at offset ${this.at}.`);
  }
}

function codeTable(characters: string): readonly boolean[] {
  return Array.from({ length: 128 }, (_, code) => characters.includes(String.fromCharCode(code)));
}
