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
 * Whether a patch makes a new view of data that is stored and stays: it brings a mask, search indexes or a fingerprint
 * expression, be it the default of the type, or it changes a part of what one that is stored reads as a whole. With the
 * rest of a value in hand, `{{ data | stringify | slice: 0, 9 }}` can be moved over the part that was hidden.
 */
export function makesView(token: StoredToken, opened: OpenedToken, patch: TokenPatch): boolean {
  const bringsView =
    patch.mask !== undefined || patch.searchIndexes !== undefined || patch.fingerprintExpression !== undefined;
  if (patch.data === undefined) return bringsView;
  const change = patch.data.reveal();
  if (!isJsonObject(change) || !leavesStored(opened.data.reveal(), change)) return false;
  return bringsView || readsMixture(token, opened, patch.data);
}

/** Masks show what each expression reads by itself; indexes and fingerprints are compared as one text. */
function readsMixture(token: StoredToken, opened: OpenedToken, change: Sensitive<JsonValue>): boolean {
  const texts = storedTexts(token);
  const { mask, searchIndexes, fingerprint } = compileExpressions('', getTokenType(token), texts);
  const shown =
    mask === undefined
      ? []
      : templatesOf(mask)
          .flatMap(pathsOf)
          .map((path) => [path]);
  // The default fingerprint of a generic token reads all of its data: to judge it would end every change of a part.
  const compared = [...searchIndexes, ...(texts.fingerprintExpression === undefined ? [] : [fingerprint])].map(pathsOf);
  return [...shown, ...compared].some((paths) => mixesStored(opened.data.reveal(), change.reveal(), paths));
}

/** Where a template reads in the data. Metadata is shown to everybody who sees the token. */
function pathsOf({ parts }: Template): string[][] {
  return parts.flatMap((part) => (typeof part === 'string' || part.path[0] !== 'data' ? [] : [part.path.slice(1)]));
}
