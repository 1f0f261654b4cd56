import type { TokenId } from '../../../core/identity/ids.ts';
import { isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';

/** Checks whether a token can have this id. A path with any other id is treated as not found. */
export function isTokenId(text: string): text is TokenId {
  return !isLongerThan(text, tokenLimits.idLengthMax) && isStorable(text);
}
