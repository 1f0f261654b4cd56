import { invalidField } from '../../core/errors/domain-error.ts';
import type { TokenId } from '../../core/identity/ids.ts';

const forbidden = new Set('#/\\+?[]|&=%<>{}^');
const lengthMin = 3;
const lengthMax = 400;

/** Reads an id that a caller chose for a new token. */
export function parseTokenId(text: string): TokenId {
  const isPlain = ![...text].some((character) => forbidden.has(character) || character < ' ' || character === '\u007f');
  if (text.length < lengthMin || text.length > lengthMax || !isPlain || !text.isWellFormed()) {
    throw invalidField(
      'id',
      `must have ${lengthMin} to ${lengthMax} characters and none of ${[...forbidden].join(' ')}`,
    );
  }
  return text as TokenId;
}

/** Reads an id from a path: one that no token can have is simply not found. */
export function isTokenId(text: string): text is TokenId {
  return text.length <= lengthMax && text.isWellFormed() && !text.includes('\0');
}
