import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Role } from '../../members/index.ts';

/** A tenant that a user belongs to. */
export interface Membership {
  readonly tenantId: TenantId;
  readonly tenantName: string;
  readonly memberId: string;
  readonly role: Role;
  /** Whether a session needs a way to sign in of the user's own to work on the tenant. */
  readonly requiresWay: boolean;
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
  /** Recent enough to change sign-in methods, and started by an authenticated user. */
  readonly isFresh: boolean;
  readonly signedInAt: Date;
  /** When it stops being fresh, if it is. */
  readonly freshUntil: Date;
  /** When the sign-in method of the session was set up; null for a link, which proves nothing. */
  readonly provenSince: Date | null;
  /** The session began with a password that has to be replaced. */
  readonly hasWeakPassword: boolean;
}

/** An authenticated user, with when the method was set up. */
export interface ProvenUser {
  readonly userId: string;
  readonly provenSince: Date;
  /** False if a provider has not confirmed that it just authenticated them. */
  readonly isAuthenticated?: boolean;
  /** True for a password that has to be replaced. */
  readonly hasWeakPassword?: boolean;
  /** Whether the method is still there when the session starts; if it is, it stays until that has been committed. */
  readonly stillProves?: (tx: Transaction) => Promise<boolean>;
}

export interface KnownPasskey {
  /** As base64url. */
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** How a user can sign in, apart from a link. */
export interface SignInWays {
  readonly hasPassword: boolean;
  /** How many codes are left that replace the authenticator app. */
  readonly recoveryCodes: number;
  readonly passkeys: readonly KnownPasskey[];
  readonly issuers: readonly string[];
}

/** A way that can be removed by itself. */
export type SignInWay =
  | { readonly kind: 'passkey'; readonly id: string }
  | { readonly kind: 'provider'; readonly issuer: string };

/** The same object if this way is none of them. */
export function withoutWay(ways: SignInWays, way: SignInWay): SignInWays {
  if (way.kind === 'passkey') {
    const passkeys = ways.passkeys.filter(({ id }) => id !== way.id);
    return passkeys.length === ways.passkeys.length ? ways : { ...ways, passkeys };
  }
  const issuers = ways.issuers.filter((issuer) => issuer !== way.issuer);
  return issuers.length === ways.issuers.length ? ways : { ...ways, issuers };
}

/** In how many ways the user can sign in: a provider that is no longer configured is none. */
export function countUsableWays({ hasPassword, passkeys, issuers }: SignInWays, issuer: string | undefined): number {
  const isConnected = issuer !== undefined && issuers.includes(issuer);
  return passkeys.length + Number(hasPassword) + Number(isConnected);
}

/** Where a request came from, for the audit log. */
export interface Origin {
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** The name of a user on a page. */
export function nameOf({ email }: User): string {
  return email ?? 'a user without an e-mail address';
}

/** Only administrators of a tenant can approve exports, and what widens access to plaintext. */
export function mayApprove({ role, deletedAt }: Membership): boolean {
  return deletedAt === null && (role === 'OWNER' || role === 'ADMIN');
}
