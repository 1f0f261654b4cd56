import { passesLuhn } from '../../src/core/token-types/field-checks.ts';

/** Returns a random number of this length that passes for a card number. */
export function makeCardNumber(length = 16): string {
  const random = crypto.getRandomValues(new Uint32Array(length - 2));
  const payload = `4${Array.from(random, (number) => number % 10).join('')}`;
  const numbers = Array.from({ length: 10 }, (_, digit) => `${payload}${digit}`);
  return numbers.find(passesLuhn) ?? payload;
}
