import { randomBytes } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../../../core/identity/base32.ts';

/** 80 bits: not to be guessed, even from the stored hash by somebody who has the key of the hashes. */
const secretLength = 10;
/** Digits that are not part of the alphabet, and the letters that they were read for. */
const misread: ReadonlyMap<string, string> = new Map([
  ['0', 'O'],
  ['1', 'I'],
  ['8', 'B'],
]);

/** A new code, in four groups of four for writing down. */
export function generateRecoveryCode(): string {
  return encodeBase32(randomBytes(secretLength)).match(/.{4}/g)?.join('-') ?? '';
}

/** The code however it was typed; undefined for what cannot be one. */
export function parseRecoveryCode(typed: string): string | undefined {
  const letters = [...typed.toUpperCase()].filter((letter) => letter !== '-' && letter !== ' ');
  const text = letters.map((letter) => misread.get(letter) ?? letter).join('');
  return decodeBase32(text)?.length === secretLength && text.length === 16 ? text : undefined;
}
