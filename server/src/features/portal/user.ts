import type { TenantId } from '../../core/identity/ids.ts';
import type { Role } from '../members/index.ts';

/** A tenant that a user belongs to. */
export interface Membership {
  readonly tenantId: TenantId;
  readonly tenantName: string;
  readonly memberId: string;
  readonly role: Role;
}

export interface User {
  readonly id: string;
  readonly email: string | null;
}

/** A signed-in user. Their permissions are in `memberships`, read with every request. */
export interface UserSession {
  readonly id: string;
  readonly user: User;
  readonly memberships: readonly Membership[];
  /** Recent enough to change sign-in methods, and started by an authenticated user. */
  readonly isFresh: boolean;
  /** When the sign-in method of the session was set up; null for a link, which proves nothing. */
  readonly provenSince: Date | null;
}

/** An authenticated user, with when the method was set up. */
export interface ProvenUser {
  readonly userId: string;
  readonly provenSince: Date;
  /** False if a provider has not confirmed that it just authenticated them. */
  readonly isAuthenticated?: boolean;
}

/** How a user can sign in, apart from a link. */
export interface SignInWays {
  readonly hasPassword: boolean;
  readonly passkeys: number;
  readonly issuers: readonly string[];
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

/** Only administrators of a tenant can approve exports. */
export function mayApproveExports({ role }: Membership): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}
