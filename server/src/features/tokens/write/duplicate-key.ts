import type { DeduplicationBehavior } from '../../tenants/index.ts';
import type { TokenAttributes } from '../model/token.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { toShelfKey } from '../model/token-shelf.ts';

/**
 * The properties that an existing token must share with a requested one to be returned in its place: the fingerprint
 * and its expression, because a different expression can make different data look the same. A token written with a
 * public key must also be in the requested containers, have the same mask and live at least as long. Anybody can hold
 * such a key, and could plant tokens for values that others will store.
 */
export interface DuplicateKey {
  readonly fingerprint: string;
  readonly expression: string;
  /** The default expression of the type. Tokens without an expression of their own are fingerprinted with it. */
  readonly defaultExpression: string;
  readonly shelf: string;
  /** The attributes that the existing token must share. Undefined if an update is about to replace them. */
  readonly kept: { readonly mask: string | null; readonly endsAt: Date | null } | undefined;
  /** All properties as one text. */
  readonly text: string;
}

type Comparable = Pick<
  TokenAttributes,
  'type' | 'containers' | 'mask' | 'expiresAt' | 'fingerprint' | 'fingerprintExpression'
>;

/** Returns undefined for a token without a fingerprint, which is never a duplicate. */
export function findDuplicateKey(token: Comparable, behavior: DeduplicationBehavior): DuplicateKey | undefined {
  if (token.fingerprint === null) return undefined;
  const { defaultFingerprintExpression } = getTokenType(token);
  const { fingerprint, mask, expiresAt } = token;
  const expression = token.fingerprintExpression ?? defaultFingerprintExpression;
  const shelf = toShelfKey(token);
  const kept = behavior === 'update_existing' ? undefined : { mask, endsAt: expiresAt?.instant ?? null };
  return {
    fingerprint,
    expression,
    defaultExpression: defaultFingerprintExpression,
    shelf,
    kept,
    text: JSON.stringify([fingerprint, expression, shelf, kept]),
  };
}
