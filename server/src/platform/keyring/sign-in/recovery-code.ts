import { randomBytes } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../../../core/identity/base32.ts';

/**
 * The length of a code in bytes. 80 bits cannot be guessed, even by somebody who has the stored hash and the hash key.
 */
const secretLength = 10;
/** Digits that are not part of the alphabet, and the letters that are mistaken for them. */
const misread: ReadonlyMap<string, string> = new Map([
  ['0', 'O'],
  ['1', 'I'],
  ['8', 'B'],
]);

/** Generates a code in four groups of four characters that are easy to write down. */
export function generateRecoveryCode(): string {
  return encodeBase32(randomBytes(secretLength)).match(/.{4}/g)?.join('-') ?? '';
}

/** Returns the code regardless of how it was typed, or undefined if the text cannot be one. */
export function parseRecoveryCode(typed: string): string | undefined {
  const letters = [...typed.toUpperCase()].filter((letter) => letter !== '-' && letter !== ' ');
  const text = letters.map((letter) => misread.get(letter) ?? letter).join('');
  return decodeBase32(text)?.length === secretLength && text.length === 16 ? text : undefined;
}
