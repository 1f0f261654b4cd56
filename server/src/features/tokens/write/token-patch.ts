import { type LifeLimit, limitExpiry } from '../../../core/expiry/life-limit.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { jsonValuesMax, storedDepthMax } from '../../../core/json/json-limits.ts';
import { jsonTextSteps } from '../../../core/json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { mergePatchSteps } from '../../../core/merge-patch/merge-patch.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { invalidAt, requireNoFieldErrors, type TokenPatch } from '../model/token-request.ts';
import { type Metadata, parseSearchIndexes, type StoredToken } from '../model/token.ts';
import { toContainers, toExpiresAt, type TokenDraft, toMetadata, withoutCvc } from './token-draft.ts';
import {
  compileExpressions,
  type ExpressionTexts,
  maskData,
  requireMaskSize,
  requireReadsData,
} from '../model/token-expressions.ts';
import type { OpenedToken } from '../read/index.ts';
import type { CvcChange } from '../model/token-store.ts';
import type { TenantSettings } from '../../tenants/index.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';

/** The time of a change, and the limits on the life of tokens. */
interface PatchTime {
  readonly now: Date;
  readonly limits: readonly LifeLimit[];
}

/** Returns the token as it would be after the patch, validated like a new one. */
export async function applyPatch(
  token: StoredToken,
  opened: OpenedToken,
  patch: TokenPatch,
  at: PatchTime,
): Promise<{ draft: TokenDraft; cvc: CvcChange }> {
  const type = getTokenType(token);
  const attributes = applyAttributes(token, patch, at);
  requireReadsData('', patch.fingerprintExpression);
  const merged = await mergeData(opened, patch);
  requireNoFieldErrors('', type.validate(merged.data));
  const parts = await withoutCvc(type, merged.data, merged.dataText);
  const stored = storedTexts(token);
  const texts = {
    mask: await mergeMask(stored.mask, type.defaultMask, patch.mask),
    searchIndexes: replaced(patch.searchIndexes, stored.searchIndexes),
    fingerprintExpression: replaced(patch.fingerprintExpression, stored.fingerprintExpression),
  };
  const expressions = compileExpressions('', type, texts);
  const draft: TokenDraft = {
    path: '',
    id: token.id,
    wantedId: undefined,
    version: token.version + 1,
    type,
    ...parts,
    ...(await maskData({ path: '', type, data: parts.data }, expressions)),
    ...attributes,
    texts,
    viewAuthors: token.viewAuthors,
    expressions,
    deduplicate: patch.deduplicate,
  };
  return { draft, cvc: cvcChange(patch, parts.cvc !== undefined) };
}

/** Returns the attributes that do not derive from the data, as they would be after the patch. */
export function applyAttributes(
  token: StoredToken,
  patch: TokenPatch,
  { now, limits }: PatchTime,
): Pick<TokenDraft, 'containers' | 'metadata' | 'expiresAt'> {
  if (patch.type !== undefined && patch.type !== token.type) {
    throw invalidAt('', 'type', 'must be the type that the token has: it cannot be changed');
  }
  const containers =
    patch.containers === null
      ? getTokenType(token).defaultContainers
      : patch.containers === undefined
        ? token.containers
        : toContainers('', patch.containers);
  const expiresAt =
    patch.expiresAt === null
      ? null
      : patch.expiresAt === undefined
        ? token.expiresAt
        : toExpiresAt('', patch.expiresAt, now);
  return {
    containers,
    metadata: mergeMetadata(token.metadata, patch.metadata),
    expiresAt: limitExpiry(expiresAt, { ...token, containers }, { limits, now }),
  };
}

/**
 * Returns whether a patch does nothing but remove the verification code of a card. A legal hold allows that, because the
 * code may not be kept. In a token of another type, the same patch would replace data.
 */
export function removesOnlyCode({ type }: Pick<StoredToken, 'type'>, { data, ...rest }: TokenPatch): boolean {
  if (type !== 'card') return false;
  const change = data?.reveal();
  const isCodeOnly = isJsonObject(change) && Object.keys(change).join() === 'cvc' && change['cvc'] === null;
  return isCodeOnly && Object.entries(rest).every(([name, value]) => name === 'dataText' || value === undefined);
}

/**
 * Returns whether a patch changes nothing that derives from the data, so that the data need not be opened. A
 * fingerprint expression of the token's own can read its metadata.
 */
export function leavesContent(token: StoredToken, patch: TokenPatch, settings: TenantSettings): boolean {
  const { data, mask, searchIndexes, fingerprintExpression, metadata } = patch;
  if ([data, mask, searchIndexes, fingerprintExpression].some((part) => part !== undefined)) return false;
  if (token.fingerprintExpression !== null) return metadata === undefined;
  // If the tenant has turned fingerprints off since, the existing fingerprint is removed. A missing fingerprint is not
  // computed here.
  return settings.fingerprintTokens || token.fingerprint === null;
}

/** Returns the expressions of a token as they were given. */
export function storedTexts(token: StoredToken): ExpressionTexts {
  return {
    mask: token.mask === null ? undefined : parseJson(token.mask, { depthMax: storedDepthMax }),
    searchIndexes: parseSearchIndexes(token),
    fingerprintExpression: token.fingerprintExpression ?? undefined,
  };
}

async function mergeData(opened: OpenedToken, patch: TokenPatch): Promise<Pick<TokenDraft, 'data' | 'dataText'>> {
  if (patch.data === undefined) return { data: opened.data, dataText: opened.dataText };
  const change = patch.data.reveal();
  // A patch that is not an object replaces the data and is stored as sent.
  if (!isJsonObject(change) && patch.dataText !== undefined) return { data: patch.data, dataText: patch.dataText };
  const data = await inTurns(mergePatchSteps(opened.data.reveal(), change));
  const text = await inTurns(jsonTextSteps(data, jsonValuesMax));
  requireMergedSize(text);
  return { data: new Sensitive(data), dataText: new Sensitive(text) };
}

async function mergeMask(
  supplied: JsonValue | undefined,
  defaultMask: JsonValue | undefined,
  patch: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  if (patch === undefined) return supplied;
  if (patch === null) return undefined;
  // If the stored mask is null, the token has no mask, and the default does not apply.
  const mask = await inTurns(mergePatchSteps(supplied === undefined ? defaultMask : supplied, patch));
  requireMaskSize('', mask);
  return mask;
}

/**
 * Limits merged data to the maximum size of data in a request. Otherwise a token could grow without limit, patch by
 * patch.
 */
function requireMergedSize(text: string): void {
  if (Buffer.byteLength(text) <= tokenLimits.sizeBytesMax) return;
  throw invalidAt('', 'data', `must not grow larger than ${inMebibytes(tokenLimits.sizeBytesMax)}`);
}

function mergeMetadata(current: Metadata | null, patch: TokenPatch['metadata']): Metadata | null {
  if (patch === undefined) return current;
  if (patch === null) return null;
  const merged = Object.entries({ ...current, ...patch });
  return toMetadata('', Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null)));
}

function replaced<T>(patch: T | null | undefined, current: T | undefined): T | undefined {
  return patch === undefined ? current : (patch ?? undefined);
}

/** Returns what happens to the verification code. It is kept unless the patch mentions it. */
function cvcChange({ data }: TokenPatch, hasNewCode: boolean): CvcChange {
  if (hasNewCode) return 'set';
  if (data === undefined) return 'keep';
  const change = data.reveal();
  return isJsonObject(change) && !Object.hasOwn(change, 'cvc') ? 'keep' : 'remove';
}
