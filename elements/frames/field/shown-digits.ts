import { createCardNumberKind, findCardType, toBin } from './kinds/card-number.ts';

const whenReached = 16;

/**
 * Decides when a page sees the BIN and the last four digits of a card number. They are shown only once. While the user
 * types, shorter numbers can be complete by accident. A page that saw the last four digits of each could assemble the
 * whole number. Therefore a number that could be longer is shown only when the user leaves the field, and a number that
 * changes afterwards is not shown until the field has been empty. For the same reason, the vault's own rules apply here
 * instead of the page's.
 */
export class ShownDigits {
  readonly #kind = createCardNumberKind({});
  #shown: string | undefined;

  /** The number whose first and last digits the page has seen. */
  get shown(): string | undefined {
    return this.#shown;
  }

  /** Notes that a token shows the first and last digits of this number. A number that extends it is not shown here. */
  noteToken(digits: string): void {
    this.#shown ??= digits;
  }

  of(digits: string, isFocused: boolean): { readonly cardBin?: string; readonly cardLast4?: string } {
    if (digits === '') this.#shown = undefined;
    if (this.#shown === undefined && this.#isFinished(digits, isFocused)) this.#shown = digits;
    return digits === '' || this.#shown !== digits ? {} : { cardBin: toBin(digits), cardLast4: digits.slice(-4) };
  }

  #isFinished(digits: string, isFocused: boolean): boolean {
    if (!this.#kind.judge(digits, new Date()).isComplete) return false;
    const longest = Math.max(...(findCardType(digits, {})?.lengths ?? [whenReached]));
    return !isFocused || digits.length >= Math.min(longest, whenReached);
  }
}
