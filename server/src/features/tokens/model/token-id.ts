import { toId, type TokenId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { countCodePoints, isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { invalidAt } from './request-path.ts';
import { evaluateIdExpression, isRandom } from './token-expressions.ts';

const forbidden = new Set('#/\\+?[]|&=%<>{}^');
const { idLengthMin, idLengthMax } = tokenLimits;

/** An alias is random; after this many that were taken already, a UUID is used. */
export const aliasTriesMax = 3;

/** Whether the wish can be fulfilled in another way when an id is taken: evaluated again, an alias is another one. */
export function isAlias(wanted: string | undefined): boolean {
  return isIdExpression(wanted) && isRandom(wanted);
}

/** The id of a new token: assigned, chosen by the caller, or an alias that an expression makes. */
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

/** An id in a path that no token can have is simply not found. */
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
