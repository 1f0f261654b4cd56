import { DomainError } from '../../../core/errors/domain-error.ts';
import type { UserSession } from './user.ts';

/**
 * Only for users who have just authenticated: a session started with a link proves that an operator created a link,
 * one from a provider that did not ask proves that a browser was left open, and an old one may be someone
 * else's by now. Refusing needs no such proof, because it is harmless.
 * Returns when the sign-in method was set up.
 */
export function requireProof({ isFresh, provenSince }: UserSession, what: string): Date {
  if (isFresh && provenSince !== null) return provenSince;
  throw new DomainError(
    'forbidden',
    `To approve ${what}, sign out and sign in again with your passkey, password or provider. A sign-in link is not enough, and neither is a provider that does not ask you to authenticate again.`,
  );
}
