import { DomainError } from '../../../core/errors/domain-error.ts';
import type { UserSession } from './user.ts';

/**
 * Requires that the user has just authenticated, and returns when the sign-in method was set up. A session started with
 * a link only proves that an operator created a link. A session from a provider that did not ask the user to
 * authenticate only proves that a browser was left open. An old session may be in someone else's hands by now.
 * Rejecting needs no such proof, because it is harmless.
 */
export function requireProof({ isFresh, provenSince }: UserSession, what: string): Date {
  if (isFresh && provenSince !== null) return provenSince;
  throw new DomainError(
    'forbidden',
    `To approve ${what}, sign out and sign in again with your passkey, password or provider. A sign-in link is not enough, and neither is a provider that does not ask you to authenticate again.`,
  );
}

/**
 * Returns whether the session has that proof. Without it, requesting a change does not count as the consent of its
 * user.
 */
export function isProven({ isFresh, provenSince }: UserSession): boolean {
  return isFresh && provenSince !== null;
}
