const digitsMin = 9;
const usedMax = 1_000;

/**
 * Numbers whose first and last digits a page has seen. While the user types, a page could create a token from each
 * prefix that is a valid number, and assemble the whole number from their last four digits. Therefore only one of
 * several numbers with a common prefix can be used.
 */
export class UsedNumbers {
  readonly #used = new Set<string>();

  /** Returns true if one of the texts extends a used number, or is a prefix of one. */
  continues(texts: readonly string[]): boolean {
    const numbers = texts.flatMap(toNumber);
    return numbers.some((number) => [...this.#used].some((used) => isPartOf(used, number) || isPartOf(number, used)));
  }

  /** Adds numbers and returns the new ones. */
  add(texts: readonly string[]): readonly string[] {
    const added = texts.flatMap(toNumber).filter((number) => !this.#used.has(number));
    for (const number of added) this.#used.add(number);
    for (const oldest of [...this.#used].slice(0, Math.max(this.#used.size - usedMax, 0))) this.#used.delete(oldest);
    return added;
  }

  /** Removes numbers from which no token was created. No digits of them were shown. */
  remove(numbers: readonly string[]): void {
    for (const number of numbers) this.#used.delete(number);
  }
}

function isPartOf(beginning: string, number: string): boolean {
  return number !== beginning && number.startsWith(beginning);
}

function toNumber(text: string): string[] {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length < digitsMin ? [] : [digits];
}
