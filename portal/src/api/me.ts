import { createContext, use } from 'react';
import { fetchPortal } from './client';
import { chooseTenant, chosenTenant } from './tenant';

export type Role = 'OWNER' | 'ADMIN' | 'READ_ONLY';

export interface MyTenant {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** True if the user has to set up a sign-in method before doing anything in the tenant. */
  readonly needs_sign_in_way: boolean;
  /** True if the tenant accepts only sessions that began at the OpenID provider, and this one did not. */
  readonly needs_provider: boolean;
  /** The time at which a deleted tenant is removed for good. Absent if the tenant is not deleted. */
  readonly removed_at?: string;
}

/** Returns false for a tenant in which the user can do nothing now. Every request about it would be refused. */
export function isOpen({ needs_sign_in_way: isClosed, removed_at: removedAt }: MyTenant): boolean {
  return !isClosed && removedAt === undefined;
}

/** The signed-in user. The public API description does not contain it because only the portal uses it. */
export interface Me {
  readonly user: { readonly id: string; readonly email?: string; readonly name?: string };
  readonly signed_in_at: string;
  /** True if the user signed in within the last 15 minutes. Changes require a fresh sign-in. */
  readonly is_fresh: boolean;
  readonly tenants: readonly MyTenant[];
  readonly role_permissions: Readonly<Record<Role, readonly string[]>>;
  /** Where the documentation is, with a slash at the end. Absent if the operator has not said so. */
  readonly documentation_url?: string;
  /** The origin of the vault's card fields. Absent if it serves none. */
  readonly elements_url?: string;
  /** False if the vault has no mail server. Members then pass on the links of invitations themselves. */
  readonly mails_invitations: boolean;
  /** The thresholds for alerts. 0 turns an alert off. */
  readonly alert_thresholds: {
    readonly window_minutes: number;
    readonly misses: number;
    readonly reveals: number;
    readonly addresses: number;
  };
  /** True in `strongroom dev`, which also has pages for contributors. */
  readonly is_development: boolean;
}

export interface Member extends Me {
  readonly tenant: MyTenant;
  /** Returns true if the role in this tenant has the permission. */
  may(permission: string): boolean;
}

export async function loadMe(): Promise<Me> {
  const response = await fetchPortal('/me');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The vault that serves this page sent it.
  return (await response.json()) as Me;
}

/**
 * Returns the member of the chosen tenant, or of the first tenant that does not require setting up a sign-in method.
 * Undefined if the user has no tenant.
 */
export function toMember(me: Me): Member | undefined {
  const tenant =
    me.tenants.find(({ id }) => id === chosenTenant()) ??
    me.tenants.find(({ needs_sign_in_way: isClosed }) => !isClosed) ??
    me.tenants[0];
  if (tenant === undefined) return undefined;
  chooseTenant(tenant.id);
  const granted = new Set(me.role_permissions[tenant.role]);
  return { ...me, tenant, may: (permission) => granted.has(permission) };
}

const MemberContext = createContext<Member | undefined>(undefined);
export const MemberProvider = MemberContext.Provider;

/** Returns where the documentation is. It is also called before it is known who is signed in. */
export function useDocumentation(): string | undefined {
  return use(MemberContext)?.documentation_url;
}

export function useMember(): Member {
  const member = use(MemberContext);
  if (member === undefined) throw new Error('There is no member outside of the frame.');
  return member;
}
