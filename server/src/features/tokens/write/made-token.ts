import type { Transform } from '../../../core/access/access-rule.ts';
import type { AccessTarget } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import type { StoredToken } from '../model/token.ts';

/**
 * What is kept of a request that created or changed a token, so that its repetition can be judged and shown again:
 * which token it was and how it was shown, never what is in it.
 */
interface MadeToken {
  readonly id: TokenId;
  /** Tells the token from a later one with the same id. */
  readonly createdAt: string;
  /** A repetition shows no more than the first response did. */
  readonly transform: Transform;
}

export interface CreatedToken extends MadeToken {
  /** What the grant to create was asked about. */
  readonly target: AccessTarget;
  readonly version: number;
  /** Set if the token was there already. */
  readonly isFound: boolean;
  /** Set if the response said that nothing was created. */
  readonly isDeduplicated: boolean;
}

export interface UpdatedToken extends MadeToken {
  readonly isDeduplicated: boolean;
  readonly isHiddenDuplicate: boolean;
}

export function toMadeToken(token: Pick<StoredToken, 'id' | 'createdAt'>, transform: Transform): MadeToken {
  return { id: token.id, createdAt: token.createdAt.toISOString(), transform };
}

/** The token that was made, if it is still there. A card verification code is shown by no repetition. */
export function requireSame({ id, createdAt }: MadeToken, found: StoredToken | undefined): StoredToken {
  if (found?.createdAt.toISOString() === createdAt) return { ...found, cvc: null };
  throw new DomainError('not-found', 'The token of the first request with this BT-IDEMPOTENCY-KEY no longer exists.', {
    missing: { count: 1, id },
  });
}
