/**
 * Reads a timestamp once from left to right. A mismatch is remembered instead of reported, so that a grammar can be
 * written as straight-line code and checked once at the end.
 */
export class TimestampScanner {
  readonly #text: string;
  #at = 0;
  #hasMismatch = false;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  get matchedAll(): boolean {
    return this.isAtEnd && !this.#hasMismatch;
  }

  /** Consumes and returns the next character if it is one of these. */
  accept(characters: string): string | undefined {
    const next = this.#text[this.#at];
    if (next === undefined || !characters.includes(next)) return undefined;
    this.#at += 1;
    return next;
  }

  expect(characters: string): void {
    if (this.accept(characters) === undefined) this.#hasMismatch = true;
  }

  /** Consumes and returns up to `max` digits as written. */
  digits(min: number, max: number): string {
    let digits = '';
    while (digits.length < max) {
      const digit = this.accept('0123456789');
      if (digit === undefined) break;
      digits += digit;
    }
    if (digits.length < min) this.#hasMismatch = true;
    return digits;
  }

  number(min: number, max: number): number {
    return Number(this.digits(min, max));
  }
}
