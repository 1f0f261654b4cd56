import { createContext, use } from 'react';
import { fetchPortal } from './client';
import { chooseTenant, chosenTenant } from './tenant';

export type Role = 'OWNER' | 'ADMIN' | 'READ_ONLY';

export interface MyTenant {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Nothing can be done in the tenant before a way to sign in is set up. */
  readonly needs_sign_in_way: boolean;
  /** When a deleted tenant is removed for good; absent if it is not deleted. */
  readonly removed_at?: string;
}

/** Who is signed in. Only for the portal, so the public description does not have it. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string | null };
  readonly signed_in_at: string;
  /** Changes need a sign-in within the last 15 minutes. */
  readonly is_fresh: boolean;
  readonly tenants: readonly MyTenant[];
  readonly role_permissions: Readonly<Record<Role, readonly string[]>>;
}

export interface Member extends Me {
  readonly tenant: MyTenant;
  /** Whether the role in this tenant has a permission. */
  may(permission: string): boolean;
}

export async function loadMe(): Promise<Me> {
  const response = await fetchPortal('/me');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A route of the vault that serves this page.
  return (await response.json()) as Me;
}

/** The member in the chosen tenant, or in the first one that something can be done in. Undefined for a user without a tenant. */
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
