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
  /** The time at which a deleted tenant is removed for good. Absent if it is not deleted. */
  readonly removed_at?: string;
}

/** The signed-in user. The public API description does not contain it because only the portal uses it. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string | null };
  readonly signed_in_at: string;
  /** True if the user signed in within the last 15 minutes. Changes require a fresh sign-in. */
  readonly is_fresh: boolean;
  readonly tenants: readonly MyTenant[];
  readonly role_permissions: Readonly<Record<Role, readonly string[]>>;
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

export function useMember(): Member {
  const member = use(MemberContext);
  if (member === undefined) throw new Error('There is no member outside of the frame.');
  return member;
}
