import { leavesStored, mixesStored } from '../../../core/merge-patch/stored-remainder.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Template } from '../../../core/expressions/template.ts';
import { templatesOf } from '../../../core/expressions/mask.ts';
import type { StoredToken } from '../model/token.ts';
import { compileExpressions } from '../model/token-expressions.ts';
import { storedTexts } from './token-patch.ts';
import type { TokenPatch } from '../model/token-request.ts';
import type { OpenedToken } from '../read/index.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';

/**
 * Returns whether a patch makes a new view of stored data that it leaves in place. It does so if it contains a mask,
 * search indexes or a fingerprint expression, even the default of the type. It also does so if it changes part of a
 * value that a stored view reads as a whole. A caller that controls the rest of a value can move `{{ data | stringify |
 * slice: 0, 9 }}` over the hidden part.
 */
export function makesView(token: StoredToken, opened: OpenedToken, patch: TokenPatch): boolean {
  const bringsView =
    patch.mask !== undefined || patch.searchIndexes !== undefined || patch.fingerprintExpression !== undefined;
  if (patch.data === undefined) return bringsView;
  const change = patch.data.reveal();
  if (!isJsonObject(change) || !leavesStored(opened.data.reveal(), change)) return false;
  return bringsView || readsMixture(token, opened, patch.data);
}

/**
 * Returns whether a view reads stored and new data together. Masks show the result of each expression separately, while
 * indexes and fingerprints are compared as one text.
 */
function readsMixture(token: StoredToken, opened: OpenedToken, change: Sensitive<JsonValue>): boolean {
  const texts = storedTexts(token);
  const { mask, searchIndexes, fingerprint } = compileExpressions('', getTokenType(token), texts);
  const shown =
    mask === undefined
      ? []
      : templatesOf(mask)
          .flatMap(pathsOf)
          .map((path) => [path]);
  // The default fingerprint of a generic token is excluded. It reads all of the data, so including it would rule out
  // every partial change.
  const compared = [...searchIndexes, ...(texts.fingerprintExpression === undefined ? [] : [fingerprint])].map(pathsOf);
  return [...shown, ...compared].some((paths) => mixesStored(opened.data.reveal(), change.reveal(), paths));
}

/**
 * Returns the paths in the data that a template reads. Metadata is ignored, because everybody who sees the token sees
 * it.
 */
function pathsOf({ parts }: Template): string[][] {
  return parts.flatMap((part) => (typeof part === 'string' || part.path[0] !== 'data' ? [] : [part.path.slice(1)]));
}
