import { createCardNumberKind, findCardType, toBin } from './kinds/card-number.ts';

const whenReached = 16;

/**
 * What a page is told of a card number: its BIN and its last four digits, once. While somebody types, shorter numbers can
 * be complete by accident; a page that got the last four digits of each of them could put the whole number together. So a
 * number that could go on is shown when the field is left, and a number that is changed afterwards is not shown until the
 * field has been empty. The rules are ours and not those of the page, for the same reason.
 */
export class ShownDigits {
  readonly #kind = createCardNumberKind({});
  #shown: string | undefined;

  /** The number whose ends the page has been shown. */
  get shown(): string | undefined {
    return this.#shown;
  }

  /** A token with this number shows its ends as well: a number that goes on from there is not shown here. */
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
