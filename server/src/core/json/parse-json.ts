import { DomainError } from '../errors/domain-error.ts';
import type { JsonSource } from './json-source.ts';
import { ExactNumber, type JsonValue } from './json-value.ts';

export interface ParseJsonOptions {
  readonly depthMax: number;
  /** Filled with the spelling of what must be stored as sent. */
  readonly source?: JsonSource;
}

/**
 * A strict RFC 8259 parser. `JSON.parse` is not enough here: it rounds numbers, lets the last of two equal keys win
 * (two readers of one body could then see two different cards), treats `__proto__` specially and knows no depth.
 */
export function parseJson(text: string, options: ParseJsonOptions): JsonValue {
  return new JsonParser(text, options).parseDocument();
}

const numberStart = new Set('-0123456789');
const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
// Sticky and without nested repetition, so it runs in time proportional to the number it matches.
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const hexPattern = /^[0-9a-fA-F]{4}$/;

class JsonParser {
  readonly #text: string;
  readonly #depthMax: number;
  readonly #source: JsonSource | undefined;
  #at = 0;

  constructor(text: string, options: ParseJsonOptions) {
    this.#text = text;
    this.#depthMax = options.depthMax;
    this.#source = options.source;
  }

  parseDocument(): JsonValue {
    this.#skipSpace();
    const value = this.#parseValue(1);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#failure('Unexpected text after the document');
    return value;
  }

  #parseValue(depth: number): JsonValue {
    if (depth > this.#depthMax) throw this.#failure(`Nested deeper than ${this.#depthMax} levels`);

    const first = this.#text[this.#at];
    if (first === '{') return this.#parseObject(depth);
    if (first === '[') return this.#parseArray(depth);
    if (first === '"') return this.#parseString();
    if (first !== undefined && numberStart.has(first)) return this.#parseNumber();
    if (this.#accept('true')) return true;
    if (this.#accept('false')) return false;
    if (this.#accept('null')) return null;
    throw this.#failure('Expected a value');
  }

  #parseObject(depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    this.#at += 1;
    this.#skipSpace();
    if (this.#accept('}')) return object;

    for (;;) {
      if (this.#text[this.#at] !== '"') throw this.#failure('Expected a member name');
      const key = this.#parseString();
      if (Object.hasOwn(object, key)) throw this.#failure('Repeated member name');
      this.#skipSpace();
      this.#expect(':');
      this.#skipSpace();
      const start = this.#at;
      const value = this.#parseValue(depth + 1);
      setMember(object, key, value);
      this.#noteSpelling(object, key, start);
      this.#skipSpace();
      if (this.#accept('}')) return object;
      this.#expect(',');
      this.#skipSpace();
    }
  }

  #parseArray(depth: number): JsonValue {
    const array: JsonValue[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#accept(']')) return array;

    for (;;) {
      const start = this.#at;
      array.push(this.#parseValue(depth + 1));
      this.#noteSpelling(array, array.length - 1, start);
      this.#skipSpace();
      if (this.#accept(']')) return array;
      this.#expect(',');
      this.#skipSpace();
    }
  }

  #noteSpelling(parent: object, key: string | number, start: number): void {
    if (this.#source === undefined) return;
    const isEscapedString = this.#text[start] === '"' && this.#text.slice(start, this.#at).includes('\\');
    if (key === 'data' || isEscapedString) this.#source.note(parent, key, this.#text.slice(start, this.#at));
  }

  #parseString(): string {
    this.#at += 1;
    let result = '';
    let start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) {
        result += this.#text.slice(start, this.#at);
        this.#at += 1;
        return result;
      }
      if (code === 0x5c) {
        result += this.#text.slice(start, this.#at) + this.#parseEscape();
        start = this.#at;
      } else if (code >= 0x20) {
        this.#at += 1;
      } else {
        throw this.#failure(Number.isNaN(code) ? 'Unterminated string' : 'Control character in a string');
      }
    }
  }

  #parseEscape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    this.#at += 2;
    if (letter !== 'u') {
      const character = escapes.get(letter);
      if (character === undefined) throw this.#failure('Unknown escape');
      return character;
    }
    const hex = this.#text.slice(this.#at, this.#at + 4);
    if (!hexPattern.test(hex)) throw this.#failure('Malformed unicode escape');
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  #parseNumber(): number | ExactNumber {
    numberPattern.lastIndex = this.#at;
    const match = numberPattern.exec(this.#text);
    if (match === null) throw this.#failure('Malformed number');
    const text = match[0];
    this.#at += text.length;
    const value = Number(text);
    return String(value) === text ? value : new ExactNumber(text);
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #accept(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #expect(character: string): void {
    if (!this.#accept(character)) throw this.#failure(`Expected "${character}"`);
  }

  #failure(reason: string): DomainError {
    return new DomainError('malformed-json', `${reason} at offset ${this.#at}.`);
  }
}

/** An ordinary assignment to `__proto__` would change the prototype instead of adding a member. */
function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
