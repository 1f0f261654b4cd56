import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Membership, UserSession } from './user.ts';

/** The properties that determine what a session may do. */
type Proof = Pick<UserSession, 'provenSince' | 'hasWeakPassword' | 'isByProvider'>;
/** What a tenant demands of a session. */
type Demands = Pick<Membership, 'requiresWay' | 'requiresProvider'>;

/**
 * Returns whether the session cannot do anything in the tenant yet. A link proves only that it was delivered, not who
 * opened it, and a password that is too simple proves little. If a tenant requires it, users must set up a sign-in
 * method first. A tenant can also accept only sessions that began at the OpenID provider.
 */
export function isConfinedIn(session: Proof, demands: Demands): boolean {
  return (
    lacksProvider(session, demands) || (demands.requiresWay && (beganWithLink(session) || session.hasWeakPassword))
  );
}

/** Returns whether the tenant accepts only sessions that began at the OpenID provider, and this one did not. */
export function lacksProvider(
  session: Pick<UserSession, 'isByProvider'>,
  { requiresProvider }: Pick<Membership, 'requiresProvider'>,
): boolean {
  return requiresProvider && !session.isByProvider;
}

/** Returns whether the session is confined in all of its tenants. */
export function isConfinedEverywhere(session: UserSession): boolean {
  return session.memberships.length > 0 && session.memberships.every((membership) => isConfinedIn(session, membership));
}

/**
 * Returns whether the session began with a link. In every tenant, such a session can set up the first sign-in method of
 * its user, but neither add to existing ones nor remove any. The user's current tenants do not matter, because the same
 * account gives access to tenants that the user joins later.
 */
export function beganWithLink({ provenSince }: Pick<UserSession, 'provenSince'>): boolean {
  return provenSince === null;
}

/** Throws if the session has to set up a sign-in method before it can work on the tenant. */
export function requireUnconfined(session: Proof, membership: Demands): void {
  if (!isConfinedIn(session, membership)) return;
  if (lacksProvider(session, membership)) throw new DomainError('sign-in-way-required', onlyProvider);
  throw new DomainError('sign-in-way-required', beganWithLink(session) ? linkIsNotEnough : passwordIsNotEnough);
}

/**
 * Returns the error for a link session of a user who already has a sign-in method. Someone who merely holds the link
 * must neither add nor remove one.
 */
export function alreadyHasWay(): DomainError {
  return new DomainError('sign-in-way-required', hasWayAlready);
}

export const hasWayAlready =
  'With a link you can set up your first way to sign in, but not change existing ones. Sign out, then sign in the way you usually do. If you have lost it, ask your vault operator for a link that removes it (strongroom members sign-in-link --remove-ways).';

const onlyProvider =
  'This tenant accepts only members who sign in with the OpenID provider. Sign out, and sign in with it. If it is not connected to you yet, connect it in /portal/account first.';
const linkIsNotEnough =
  'A link is not enough for this tenant. Open /portal/account, set up a passkey, a password with an authenticator app or your OpenID provider, and sign in with it.';
const passwordIsNotEnough =
  'Your password does not have both letters and digits. Open /portal/account, set a new one and sign in with it.';
