import type { Transform } from '../../../core/access/access-rule.ts';
import type { AccessTarget } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import type { StoredToken } from '../model/token.ts';

/**
 * The record of a request that created or changed a token, so that a retry can be authorized and shown again. It says
 * which token it was and how it was shown, but never contains the content.
 */
interface MadeToken {
  readonly id: TokenId;
  /** The creation time. It distinguishes the token from a later one with the same id. */
  readonly createdAt: string;
  /** The transform of the first response. A retry shows no more than that. */
  readonly transform: Transform;
}

export interface CreatedToken extends MadeToken {
  /** The target that the permission to create was checked against. */
  readonly target: AccessTarget;
  readonly version: number;
  /** False if no response may contain the fingerprint. */
  readonly isComparable?: false;
  /** True if the token already existed. */
  readonly isFound: boolean;
  /** True if the response said that nothing was created. */
  readonly isDeduplicated: boolean;
}

export interface UpdatedToken extends MadeToken {
  readonly isDeduplicated: boolean;
  readonly isHiddenDuplicate: boolean;
}

export function toMadeToken(token: Pick<StoredToken, 'id' | 'createdAt'>, transform: Transform): MadeToken {
  return { id: token.id, createdAt: token.createdAt.toISOString(), transform };
}

/** Returns the token if it still exists. A retry never shows a card verification code. */
export function requireSame({ id, createdAt }: MadeToken, found: StoredToken | undefined): StoredToken {
  if (found?.createdAt.toISOString() === createdAt) return { ...found, cvc: null };
  throw new DomainError('not-found', 'The token of the first request with this BT-IDEMPOTENCY-KEY no longer exists.', {
    missing: { count: 1, id },
  });
}
