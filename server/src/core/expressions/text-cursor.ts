import { ExpressionError, type ExpressionReason } from './expression-error.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenLimits } from '../token-limits.ts';

/** A table of the ASCII characters that end a word. Characters beyond ASCII never do. */
export type StopTable = Uint8Array;

export function stopTable(characters: string): StopTable {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** Returns the first position from `start` that has one of the stops, or `end` if there is none. */
export function findStop(text: string, stops: StopTable, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    // Reading a typed array out of bounds is allowed, but slow.
    if (code < 128 && stops[code] === 1) return at;
  }
  return end;
}

/**
 * Returns the position by which the expression opened at `open` must be closed: after the longest body and its closing
 * braces. A character of the body takes up to two code units, so an expression that ends before this may still be too
 * long.
 */
export function expressionEnd(text: string, open: number): number {
  return Math.min(open + 2 + 2 * tokenLimits.expressionLengthMax + 2, text.length);
}

/** Checks the expression between the two braces at `open` and the two before `end`. */
export function isExpressionTooLong(text: string, open: number, end: number): boolean {
  return isLongerThan(text.slice(open + 2, end - 2), tokenLimits.expressionLengthMax);
}

export function requireExpressionLength(text: string, open: number, end: number): void {
  if (isExpressionTooLong(text, open, end)) throw new ExpressionError('expression-too-long', open);
}

/** The characters that end a filter name or an unquoted argument. */
export const wordStops = stopTable(' \t\r\n|,:\'"{}');

/**
 * Reads forward through one expression and never past its bound. It uses no regular expression and goes back over at
 * most one word, so reading takes time proportional to the text.
 */
export class TextCursor {
  readonly text: string;
  readonly #end: number;
  at: number;

  constructor(text: string, at: number, end = text.length) {
    this.text = text;
    this.at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  isAt(mark: string): boolean {
    return this.at + mark.length <= this.#end && this.text.startsWith(mark, this.at);
  }

  accept(mark: string): boolean {
    if (!this.isAt(mark)) return false;
    this.at += mark.length;
    return true;
  }

  skipSpace(): void {
    while (this.at < this.#end) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  readUntil(stops: StopTable): string {
    const start = this.at;
    this.at = findStop(this.text, stops, start, this.#end);
    return this.text.slice(start, this.at);
  }

  /** Returns the text up to the closing quote. Liquid has no escapes: use the other kind of quote to include one. */
  readQuoted(quote: string): string {
    const start = this.at;
    const close = this.text.indexOf(quote, start);
    if (close === -1 || close >= this.#end) throw this.failure('unclosed-quote');
    this.at = close + 1;
    return this.text.slice(start, close);
  }

  failure(reason: ExpressionReason): ExpressionError {
    return new ExpressionError(reason, this.at);
  }

  /** The reason to report if none of the expected characters is here. */
  get unexpected(): ExpressionReason {
    // If the cursor is one short of the bound, the second closing brace may already lie beyond it.
    if (this.#end < this.text.length && this.at >= this.#end - 1) return 'expression-too-long';
    return this.isAtEnd ? 'unclosed-expression' : 'malformed-expression';
  }
}
