import { StoredRemainder } from '../../../core/merge-patch/stored-remainder.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { weighMembers } from '../../../platform/waiting/work-weight.ts';
import type { Template } from '../../../core/expressions/template.ts';
import { templatesOf } from '../../../core/expressions/mask.ts';
import type { StoredToken } from '../model/token.ts';
import { type CompiledExpressions, compileExpressions } from '../model/token-expressions.ts';
import { storedTexts } from './token-patch.ts';
import type { TokenPatch } from '../model/token-request.ts';
import type { OpenedToken } from '../read/index.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';

/** The effect of a patch on views of the stored data that it leaves unchanged. */
export interface ViewChange {
  /**
   * True if the patch creates a new view. It does so if it contains a mask, search indexes or a fingerprint expression,
   * even the default of the type. It also does so if it changes part of a value that a stored view reads as a whole. A
   * caller that controls the other parts of the value can shift the hidden part into the range of an expression such as
   * `{{ data | stringify | slice: 0, 9 }}`.
   */
  readonly isView: boolean;
  /**
   * True if the default fingerprint of the result would be a new view. A caller that removes everything except a short
   * member could find its value by comparing fingerprints.
   */
  readonly exposesFingerprint: boolean;
  /**
   * True if the token has lost its default fingerprint and the patch does not ask for one. Somebody else may have
   * removed everything except a short member, and may be waiting for a caller that may define views to restore the
   * fingerprint.
   */
  readonly staysWithout: boolean;
}

export async function judgeViews(token: StoredToken, opened: OpenedToken, patch: TokenPatch): Promise<ViewChange> {
  const bringsView =
    patch.mask !== undefined || patch.searchIndexes !== undefined || patch.fingerprintExpression !== undefined;
  const staysWithout = token.fingerprint === null && patch.fingerprintExpression === undefined;
  if (patch.data === undefined) return { isView: bringsView, exposesFingerprint: false, staysWithout };
  const change = patch.data.reveal();
  if (!isJsonObject(change)) return unseen;
  const remainder = new StoredRemainder(opened.data.reveal(), change);
  try {
    if (!(await inTurns(remainder.isLeft()))) return unseen;
    if (bringsView) return { isView: true, exposesFingerprint: true, staysWithout };
    const views = compileExpressions('', getTokenType(token), storedTexts(token));
    const exposesFingerprint = await inTurns(remainder.isMixed(pathsOf(views.fingerprint)));
    return { isView: await inTurns(readsMixture(token, views, remainder)), exposesFingerprint, staysWithout };
  } finally {
    loopPace.charge(token.tenantId, weighMembers(remainder.comparedCount));
  }
}

/** The change if no stored data remains. */
const unseen: ViewChange = { isView: false, exposesFingerprint: false, staysWithout: false };

/**
 * Returns whether a view reads stored and new data together. Masks show the result of each expression separately, while
 * indexes and fingerprints are compared as one text.
 */
function* readsMixture(
  { fingerprintExpression }: StoredToken,
  { mask, searchIndexes, fingerprint }: CompiledExpressions,
  remainder: StoredRemainder,
): Steps<boolean> {
  const shown =
    mask === undefined
      ? []
      : templatesOf(mask)
          .flatMap(pathsOf)
          .map((path) => [path]);
  // The default fingerprint of a generic token is excluded. It reads all of the data, so including it would rule out
  // every partial change. Callers that may not define views leave a token without it instead.
  const compared = [...searchIndexes, ...(fingerprintExpression === null ? [] : [fingerprint])].map(pathsOf);
  for (const paths of [...shown, ...compared]) if (yield* remainder.isMixed(paths)) return true;
  return false;
}

/**
 * Returns the paths in the data that a template reads. Metadata is ignored, because everybody who sees the token sees
 * it.
 */
function pathsOf({ parts }: Template): string[][] {
  return parts.flatMap((part) => (typeof part === 'string' || part.path[0] !== 'data' ? [] : [part.path.slice(1)]));
}
