import { invalidQuery } from './invalid-query.ts';
import type { FieldToken, QueryRange, QueryText, QueryToken } from './query-token.ts';

const space = ' \t\r\n';
const delimiters = `${space}()`;
const symbols = [
  ['(', 'open'],
  [')', 'close'],
  ['!', 'not'],
  ['-', 'not'],
  ['&&', 'and'],
  ['||', 'or'],
] as const;
const keywords = [
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
] as const;

/**
 * Splits a query into operators, parentheses and `field:value` pairs. A value ends at whitespace or a parenthesis
 * unless it is quoted. A backslash makes the next character an ordinary one, inside and outside quotes.
 */
export class QueryLexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): QueryToken {
    this.#skipSpace();
    const offset = this.#at;
    if (offset === this.#text.length) return { kind: 'end', offset };

    for (const [symbol, kind] of symbols) if (this.#accept(symbol)) return { kind, offset };
    for (const [word, kind] of keywords) if (this.#acceptWord(word)) return { kind, offset };
    return this.#readField();
  }

  #readField(): FieldToken {
    const offset = this.#at;
    const name = this.#readUnquoted(`${delimiters}:`).text;
    if (!this.#accept(':')) throw invalidQuery('Expected a field and a colon, or an uppercase operator', offset);

    const value = this.#isNext('[{') ? this.#readRange() : this.#readText(delimiters);
    if (!this.#isAtDelimiter()) throw invalidQuery('Expected whitespace after a value', this.#at);
    return { kind: 'field', offset, name, value };
  }

  #readRange(): QueryRange {
    const offset = this.#at;
    const includesFrom = this.#acceptBracket('[', '{');
    this.#skipSpace();
    const from = this.#readText(`${space}]}`);
    this.#skipSpace();
    if (!this.#acceptWord('TO')) throw invalidQuery('Expected TO between the ends of a range', this.#at);
    this.#skipSpace();
    const to = this.#readText(`${space}]}`);
    this.#skipSpace();
    if (!this.#isNext(']}')) throw invalidQuery('Expected the closing bracket of a range', this.#at);
    const includesTo = this.#acceptBracket(']', '}');
    return { kind: 'range', offset, from, to, includesFrom, includesTo };
  }

  #readText(stops: string): QueryText {
    const value = this.#isNext('"') ? this.#readQuoted() : this.#readUnquoted(stops);
    if (this.#at === value.offset) throw invalidQuery('Expected a value', value.offset);
    return value;
  }

  #readQuoted(): QueryText {
    const offset = this.#at;
    this.#at += 1;
    let text = '';
    while (!this.#accept('"')) {
      if (this.#at === this.#text.length) throw invalidQuery('Unterminated quotation', offset);
      text += this.#readCharacter();
    }
    return { kind: 'text', offset, text, hasWildcard: false };
  }

  #readUnquoted(stops: string): QueryText {
    const offset = this.#at;
    let text = '';
    let hasWildcard = false;
    while (this.#at < this.#text.length && !this.#isNext(stops)) {
      // A quote that is not at the start is more likely a typo than part of the value.
      if (this.#isNext('"')) throw invalidQuery('Unexpected quotation mark', this.#at);
      hasWildcard ||= this.#isNext('*?');
      text += this.#readCharacter();
    }
    return { kind: 'text', offset, text, hasWildcard };
  }

  #readCharacter(): string {
    this.#accept('\\');
    const character = this.#text[this.#at];
    if (character === undefined) throw invalidQuery('Expected a character after the backslash', this.#at);
    this.#at += 1;
    return character;
  }

  #acceptBracket(inclusive: string, exclusive: string): boolean {
    return this.#accept(inclusive) || !this.#accept(exclusive);
  }

  #acceptWord(word: string): boolean {
    const end = this.#at + word.length;
    if (!this.#text.startsWith(word, this.#at)) return false;
    if (end < this.#text.length && !delimiters.includes(this.#text.charAt(end))) return false;
    this.#at = end;
    return true;
  }

  #accept(symbol: string): boolean {
    if (!this.#text.startsWith(symbol, this.#at)) return false;
    this.#at += symbol.length;
    return true;
  }

  #isNext(characters: string): boolean {
    return this.#at < this.#text.length && characters.includes(this.#text.charAt(this.#at));
  }

  #isAtDelimiter(): boolean {
    return this.#at === this.#text.length || this.#isNext(delimiters);
  }

  #skipSpace(): void {
    while (this.#isNext(space)) this.#at += 1;
  }
}
