import { toId, type TokenId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { countCodePoints, isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { invalidAt } from './request-path.ts';
import { evaluateIdExpression, isRandom } from './token-expressions.ts';

const forbidden = new Set('#/\\+?[]|&=%<>{}^');
const { idLengthMin, idLengthMax } = tokenLimits;

/** The number of random aliases to try before falling back to a UUID if they are all taken. */
export const aliasTriesMax = 3;

/** Returns whether a taken id can be replaced. Evaluating an alias expression again yields a different alias. */
export function isAlias(wanted: string | undefined): boolean {
  return isIdExpression(wanted) && isRandom(wanted);
}

/** Returns the id of a new token: generated, chosen by the caller, or an alias from an expression. */
export function toTokenId(draft: {
  readonly path: string;
  readonly wantedId: string | undefined;
  readonly data: Sensitive<JsonValue>;
}): TokenId {
  const { path, wantedId, data } = draft;
  if (wantedId === undefined) return toId<TokenId>(crypto.randomUUID());
  const id = isIdExpression(wantedId) ? evaluateIdExpression(path, wantedId, data) : wantedId;
  if (!isAcceptable(id)) {
    throw invalidAt(
      path,
      'id',
      `must have ${idLengthMin} to ${idLengthMax} characters and none of ${[...forbidden].join(' ')}`,
    );
  }
  return id;
}

/** Checks whether a token can have this id. A path with any other id is treated as not found. */
export function isTokenId(text: string): text is TokenId {
  return !isLongerThan(text, idLengthMax) && isStorable(text);
}

export function isIdExpression(wanted: string | undefined): wanted is string {
  return wanted?.includes('{{') === true;
}

function isAcceptable(id: string): id is TokenId {
  const isPlain = ![...id].some((character) => forbidden.has(character) || character < ' ' || character === '\u007f');
  return countCodePoints(id) >= idLengthMin && !isLongerThan(id, idLengthMax) && isPlain && id.isWellFormed();
}
