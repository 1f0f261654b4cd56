import type { TokenId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { countCodePoints, isLongerThan } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import type { IdSource } from '../../../platform/nodes/id-source.ts';
import { invalidAt } from './request-path.ts';
import { isStorable } from './storable-text.ts';
import { evaluateIdExpression, isRandom } from './token-expressions.ts';

const forbidden = new Set('#/\\+?[]|&=%<>{}^');
const { idLengthMin, idLengthMax } = tokenLimits;

/** An alias is random; after this many that were taken already, a UUID is used. */
export const aliasTriesMax = 3;
/** With sixteen nodes, one alias in a million is not drawn within so many tries. */
const placedTriesMax = 200;

/** Whether the wish can be fulfilled in another way when an id is taken: evaluated again, an alias is another one. */
export function isAlias(wanted: string | undefined): boolean {
  return isIdExpression(wanted) && isRandom(wanted);
}

interface DraftedId {
  readonly path: string;
  readonly wantedId: string | undefined;
  readonly data: Sensitive<JsonValue>;
}

/**
 * The id of a new token: assigned, chosen by the caller, or an alias that an expression makes. An alias that lies elsewhere than
 * the tokens it is written with is drawn again.
 */
export function toTokenId(draft: DraftedId, ids: IdSource): TokenId {
  const { wantedId } = draft;
  if (wantedId === undefined) return ids.draw();
  const id = toWantedId(draft, wantedId);
  if (!isAlias(wantedId)) return id;
  for (let tries = 1, other = id; tries < placedTriesMax; tries += 1, other = toWantedId(draft, wantedId)) {
    if (ids.accepts(other)) return other;
  }
  return ids.draw();
}

/** The id if it follows from what the caller sent, and so cannot be drawn again; undefined otherwise. */
export function findFixedId(draft: DraftedId): TokenId | undefined {
  const { wantedId } = draft;
  if (wantedId === undefined) return undefined;
  // First, since an expression may be none.
  const id = toWantedId(draft, wantedId);
  return isAlias(wantedId) ? undefined : id;
}

function toWantedId({ path, data }: DraftedId, wantedId: string): TokenId {
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
