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

/** Somebody who is signed in. What they may do is in `memberships`, read anew with every request. */
export interface UserSession {
  readonly id: string;
  readonly user: User;
  readonly memberships: readonly Membership[];
  /** Young enough to change how this user signs in, and begun by somebody who was asked who they are. */
  readonly isFresh: boolean;
  /** When that with which the session began was set up; null where it was a link, which proves nothing. */
  readonly provenSince: Date | null;
}

/** Who has shown that it is them, with what was set up at that time. */
export interface ProvenUser {
  readonly userId: string;
  readonly provenSince: Date;
  /** False where a provider has not confirmed that it asked them just now. */
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

/** How a user is called on a page. */
export function nameOf({ email }: User): string {
  return email ?? 'a user without an e-mail address';
}

/** Approving what leaves a tenant is for those who administer it. */
export function mayApproveExports({ role }: Membership): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}
