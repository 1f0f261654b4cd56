import { randomInt } from 'node:crypto';
import { passesLuhn } from '../../src/core/token-types/luhn.ts';

/** Returns a random number of this length that passes for a card number. */
export function makeCardNumber(length = 16): string {
  const payload = `4${Array.from({ length: length - 2 }, () => randomInt(10)).join('')}`;
  const numbers = Array.from({ length: 10 }, (_, digit) => `${payload}${digit}`);
  return numbers.find(passesLuhn) ?? payload;
}
