import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Role } from '../../members/index.ts';

/** A tenant that a user belongs to. */
export interface Membership {
  readonly tenantId: TenantId;
  readonly tenantName: string;
  readonly memberId: string;
  readonly role: Role;
  /** True if a session needs one of the user's own sign-in methods to work on the tenant. */
  readonly requiresWay: boolean;
  /** True if a session has to begin at the OpenID provider to work on the tenant. */
  readonly requiresProvider: boolean;
  /** Null unless the tenant is deleted. */
  readonly deletedAt: Date | null;
}

export interface User {
  readonly id: string;
  readonly email: string | null;
}

/** A signed-in user. Their permissions are in `memberships`, read with every request. */
export interface UserSession {
  readonly id: string;
  readonly user: User & { readonly name: string | null };
  readonly memberships: readonly Membership[];
  /** True if the session is recent enough to change sign-in methods and was started by an authenticated user. */
  readonly isFresh: boolean;
  readonly signedInAt: Date;
  /** The time at which a fresh session stops being fresh. */
  readonly freshUntil: Date;
  /** The time when the session's sign-in method was set up. Null for a link, which proves nothing. */
  readonly provenSince: Date | null;
  /** True if the session began with a password that has to be replaced. */
  readonly hasWeakPassword: boolean;
  /** True if the session began at the OpenID provider. */
  readonly isByProvider: boolean;
}

/** An authenticated user, and when the sign-in method was set up. */
export interface ProvenUser {
  readonly userId: string;
  readonly provenSince: Date;
  /** False if a provider has not confirmed that it just authenticated them. */
  readonly isAuthenticated?: boolean;
  /** True for a password that has to be replaced. */
  readonly hasWeakPassword?: boolean;
  /** True if the OpenID provider has authenticated them. */
  readonly isByProvider?: boolean;
  /**
   * Returns whether the method still exists when the session starts. If it does, it is locked until the session is
   * committed.
   */
  readonly stillProves?: (tx: Transaction) => Promise<boolean>;
}

export interface KnownPasskey {
  /** The id in base64url. */
  readonly id: string;
  /** What its user calls it. Null for a passkey of an earlier version. */
  readonly name: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The ways in which a user can sign in, apart from a link. */
export interface SignInWays {
  readonly hasPassword: boolean;
  /** The number of remaining codes that can replace the authenticator app. */
  readonly recoveryCodes: number;
  readonly passkeys: readonly KnownPasskey[];
  readonly issuers: readonly string[];
}

/** A sign-in method that can be removed separately. */
export type SignInWay =
  | { readonly kind: 'passkey'; readonly id: string }
  | { readonly kind: 'provider'; readonly issuer: string };

/** Removes a sign-in method from the list. Returns the same object if it is not in the list. */
export function withoutWay(ways: SignInWays, way: SignInWay): SignInWays {
  if (way.kind === 'passkey') {
    const passkeys = ways.passkeys.filter(({ id }) => id !== way.id);
    return passkeys.length === ways.passkeys.length ? ways : { ...ways, passkeys };
  }
  const issuers = ways.issuers.filter((issuer) => issuer !== way.issuer);
  return issuers.length === ways.issuers.length ? ways : { ...ways, issuers };
}

/** Counts the sign-in methods that work. A provider that is no longer configured does not count. */
export function countUsableWays({ hasPassword, passkeys, issuers }: SignInWays, issuer: string | undefined): number {
  const isConnected = issuer !== undefined && issuers.includes(issuer);
  return passkeys.length + Number(hasPassword) + Number(isConnected);
}

/** The source of a request, for the audit log. */
export interface Origin {
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** The source of a sign-in, as its user sees it in the list of their sessions. */
export interface SignInOrigin extends Origin {
  /** The name of the browser, if it is known. */
  readonly browser?: string | undefined;
}

/** Returns the name of a user as shown on a page. */
export function nameOf({ email }: User): string {
  return email ?? 'a user without an e-mail address';
}

/** Returns whether a member may approve exports and changes that widen access to plaintext. Only administrators may. */
export function mayApprove({ role, deletedAt }: Membership): boolean {
  return deletedAt === null && (role === 'OWNER' || role === 'ADMIN');
}
