const digitsMin = 9;
const usedMax = 1_000;

/**
 * Numbers whose ends a page has been shown. While somebody types, a page could create a token of each beginning that passes
 * for a number, and put the whole together from their last four digits. So of numbers that begin alike one is used.
 */
export class UsedNumbers {
  readonly #used = new Set<string>();

  /** Whether one of them goes on where another one ends that was used before. */
  continues(texts: readonly string[]): boolean {
    const numbers = texts.flatMap(toNumber);
    return numbers.some((number) => [...this.#used].some((used) => isPartOf(used, number) || isPartOf(number, used)));
  }

  /** Returns those that are new. */
  add(texts: readonly string[]): readonly string[] {
    const added = texts.flatMap(toNumber).filter((number) => !this.#used.has(number));
    for (const number of added) this.#used.add(number);
    for (const oldest of [...this.#used].slice(0, Math.max(this.#used.size - usedMax, 0))) this.#used.delete(oldest);
    return added;
  }

  /** No token was created of them, so nothing of them was shown. */
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
