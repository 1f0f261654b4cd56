import { ExpressionError } from '../expression-error.ts';
import { toCharacters } from '../../text/code-points.ts';

/**
 * The arguments of one filter, all as text: `4`, `'4'` and `"4"` mean the same, because clients quote numbers and
 * booleans inconsistently. `nil` and `null` mean an omitted argument.
 */
export class FilterArguments {
  readonly #texts: readonly (string | null)[];
  readonly offset: number;

  constructor(texts: readonly (string | null)[], offset: number) {
    this.#texts = texts;
    this.offset = offset;
  }

  text(position: number, fallback?: string): string {
    const text = this.#texts[position] ?? fallback;
    if (text === undefined) throw this.#refused();
    return text;
  }

  /** Returns an argument of exactly one character, counted in code points and not in UTF-16 code units. */
  character(position: number, fallback?: string): string {
    const text = this.text(position, fallback);
    if (toCharacters(text).length !== 1) throw this.#refused();
    return text;
  }

  flag(position: number, fallback: boolean): boolean {
    const text = this.text(position, String(fallback)).toLowerCase();
    if (text !== 'true' && text !== 'false') throw this.#refused();
    return text === 'true';
  }

  count(position: number, fallback?: number): number {
    const count = this.integer(position, fallback);
    if (count < 0) throw this.#refused();
    return count;
  }

  integer(position: number, fallback?: number): number {
    const text = this.text(position, fallback === undefined ? undefined : String(fallback));
    // The pattern is bounded and has no alternatives, so it cannot backtrack. Nine digits stay far below any overflow.
    if (!/^-?\d{1,9}$/.test(text)) throw this.#refused();
    return Number(text);
  }

  /** Rejects the arguments of a filter that has its own argument syntax. */
  refuse(): never {
    throw this.#refused();
  }

  #refused(): ExpressionError {
    return new ExpressionError('bad-argument', this.offset);
  }
}
