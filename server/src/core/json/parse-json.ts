import { finish, type Steps } from '../steps/steps.ts';
import { tooManyValues } from './json-limits.ts';
import { JsonScanner } from './json-scanner.ts';
import type { JsonSource } from './json-source.ts';
import type { JsonValue } from './json-value.ts';

export interface ParseJsonOptions {
  readonly depthMax: number;
  /** The maximum number of values in the document, at all depths. Unlimited by default. */
  readonly valuesMax?: number;
  /** Receives the original spelling of parts that must be stored as sent. */
  readonly source?: JsonSource;
}

/**
 * Parses JSON strictly (RFC 8259). `JSON.parse` is not enough here: it rounds numbers, lets the last of two equal keys
 * win (two readers of one body could then see two different cards), treats `__proto__` specially and has no depth
 * limit.
 */
export function parseJson(text: string, options: ParseJsonOptions): JsonValue {
  return finish(parseJsonSteps(text, options));
}

/** Works like `parseJson`, but in steps. */
export function parseJsonSteps(text: string, options: ParseJsonOptions): Steps<JsonValue> {
  return new JsonParser(text, options).parseDocument();
}

/** The number of values read between two pauses, which takes about a millisecond. */
const valuesPerStep = 2_000;

class JsonParser {
  readonly #text: string;
  readonly #scanner: JsonScanner;
  readonly #depthMax: number;
  readonly #valuesMax: number;
  readonly #source: JsonSource | undefined;
  /** The names and positions that lead to the current value. */
  readonly #path: (string | number)[] = [];
  #valueCount = 0;
  /** The number of values that had been read at the last pause. */
  #stepBegan = 0;

  constructor(text: string, options: ParseJsonOptions) {
    this.#text = text;
    this.#scanner = new JsonScanner(text);
    this.#depthMax = options.depthMax;
    this.#valuesMax = options.valuesMax ?? Number.POSITIVE_INFINITY;
    this.#source = options.source;
  }

  *parseDocument(): Steps<JsonValue> {
    this.#source?.begin(this.#text);
    this.#scanner.skipSpace();
    const start = this.#scanner.at;
    const scalar = this.#parseScalar(1);
    const value = scalar === undefined ? yield* this.#parseContainer(1) : scalar;
    if (typeof value === 'string') this.#noteText(value, start, 0);
    this.#scanner.skipSpace();
    if (this.#scanner.at < this.#text.length) throw this.#scanner.failure('Unexpected text after the document');
    return value;
  }

  /**
   * Returns undefined if an object or an array begins. Those alone are read in steps, because most values are neither.
   */
  #parseScalar(depth: number): JsonValue | undefined {
    if (depth > this.#depthMax) throw this.#scanner.failure(`Nested deeper than ${this.#depthMax} levels`);
    this.#valueCount += 1;
    if (this.#valueCount > this.#valuesMax) throw tooManyValues();

    switch (this.#text.charCodeAt(this.#scanner.at)) {
      case 0x22:
        return this.#scanner.parseString();
      case 0x5b:
      case 0x7b:
        return undefined;
      case 0x74:
        return this.#scanner.parseWord('true', true);
      case 0x66:
        return this.#scanner.parseWord('false', false);
      case 0x6e:
        return this.#scanner.parseWord('null', null);
      default:
        return this.#scanner.parseNumber();
    }
  }

  #parseContainer(depth: number): Steps<JsonValue> {
    return this.#text.charCodeAt(this.#scanner.at) === 0x7b ? this.#parseObject(depth) : this.#parseArray(depth);
  }

  *#parseObject(depth: number): Steps<JsonValue> {
    const object: Record<string, JsonValue> = {};
    this.#scanner.at += 1;
    this.#scanner.skipSpace();
    if (this.#scanner.accept(0x7d)) return object;

    for (;;) {
      if (this.#text.charCodeAt(this.#scanner.at) !== 0x22) throw this.#scanner.failure('Expected a member name');
      const key = this.#scanner.parseString();
      if (Object.hasOwn(object, key)) throw this.#scanner.failure('Repeated member name');
      this.#scanner.skipSpace();
      this.#scanner.expect(0x3a);
      this.#scanner.skipSpace();
      const start = this.#scanner.at;
      this.#path[depth - 1] = key;
      const scalar = this.#parseScalar(depth + 1);
      const value = scalar === undefined ? yield* this.#parseContainer(depth + 1) : scalar;
      setMember(object, key, value);
      this.#noteSpelling(object, key, { value, start, depth });
      this.#scanner.skipSpace();
      if (this.#scanner.accept(0x7d)) return object;
      this.#scanner.expect(0x2c);
      this.#scanner.skipSpace();
      if (this.#isStepDone()) yield;
    }
  }

  *#parseArray(depth: number): Steps<JsonValue> {
    const array: JsonValue[] = [];
    this.#scanner.at += 1;
    this.#scanner.skipSpace();
    if (this.#scanner.accept(0x5d)) return array;

    for (;;) {
      const start = this.#scanner.at;
      this.#path[depth - 1] = array.length;
      const scalar = this.#parseScalar(depth + 1);
      const value = scalar === undefined ? yield* this.#parseContainer(depth + 1) : scalar;
      array.push(value);
      this.#noteSpelling(array, array.length - 1, { value, start, depth });
      this.#scanner.skipSpace();
      if (this.#scanner.accept(0x5d)) return array;
      this.#scanner.expect(0x2c);
      this.#scanner.skipSpace();
      if (this.#isStepDone()) yield;
    }
  }

  #isStepDone(): boolean {
    if (this.#valueCount - this.#stepBegan < valuesPerStep) return false;
    this.#stepBegan = this.#valueCount;
    return true;
  }

  #noteSpelling(
    parent: object,
    key: string | number,
    { value, start, depth }: { value: JsonValue; start: number; depth: number },
  ): void {
    if (this.#source === undefined) return;
    const isText = typeof value === 'string';
    // Without escapes, the text of a string is its value plus two quotes.
    const isEscaped = isText && this.#scanner.at - start !== value.length + 2;
    if (key === 'data' || isEscaped) this.#source.note(parent, key, this.#text.slice(start, this.#scanner.at));
    if (isText) this.#noteText(value, start, depth);
  }

  #noteText(text: string, start: number, depth: number): void {
    if (this.#source?.isWanted(text) !== true) return;
    this.#source.noteText({ text, start, end: this.#scanner.at, path: this.#path.slice(0, depth) });
  }
}

/** Sets a member. An ordinary assignment to `__proto__` would change the prototype instead of adding a member. */
function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
