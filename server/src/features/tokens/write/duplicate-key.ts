import type { DeduplicationBehavior } from '../../tenants/index.ts';
import type { TokenAttributes } from '../model/token.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { toShelfKey } from '../model/token-shelf.ts';

/**
 * What a token must have in common with another to stand for it: the fingerprint, and the expression that it was made by, since
 * another one can make other data look the same. A token that a public key has written must also be where the request wants it,
 * under the same mask and for as long: anybody can hold such a key, and plant tokens for values that others will store.
 */
export interface DuplicateKey {
  readonly fingerprint: string;
  readonly expression: string;
  /** Of the type; tokens that were given no expression are fingerprinted by it. */
  readonly defaultExpression: string;
  readonly shelf: string;
  /** What the other must keep as it is; undefined if an update is about to replace it. */
  readonly kept: { readonly mask: string | null; readonly endsAt: Date | null } | undefined;
  /** All of it as one text. */
  readonly text: string;
}

type Comparable = Pick<
  TokenAttributes,
  'type' | 'containers' | 'mask' | 'expiresAt' | 'fingerprint' | 'fingerprintExpression'
>;

/** Undefined for a token without a fingerprint, which is a duplicate of nothing. */
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
