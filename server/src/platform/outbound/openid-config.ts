import type { TenantId } from '../../core/identity/ids.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';

/** The OpenID provider that the operator configured. */
export interface OpenidConfig {
  /** The address of the provider. It uses TLS, unless the provider is on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Sensitive<string>;
  /** The display name of the provider. */
  readonly name: string;
  /** The scopes that the vault asks for, separated by spaces. */
  readonly scopes: string;
  /** The claim of the ID token that lists the groups of a user. */
  readonly groupsClaim: string;
  /** The rules by which people become members of tenants at their first sign-in. */
  readonly members: readonly JoiningRule[];
}

/** The people who become members of a tenant when they first sign in. */
export interface JoiningRule {
  readonly tenantId: TenantId;
  /** The domains of their e-mail addresses, in lower case. */
  readonly domains: readonly string[];
  /** The role of each group. The group `*` stands for everybody with such an address. */
  readonly roles: ReadonlyMap<string, JoiningRole>;
}

export const joiningRoles = ['ADMIN', 'READ_ONLY'] as const;
export type JoiningRole = (typeof joiningRoles)[number];
