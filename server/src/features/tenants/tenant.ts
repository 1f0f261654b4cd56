import type { TenantId } from '../../core/identity/ids.ts';

export type TenantType = 'test' | 'production';

/** How many settings a tenant has at most. */
export const settingsMax = 50;

export interface Tenant {
  readonly id: TenantId;
  readonly ownerId: string | null;
  readonly name: string;
  readonly type: TenantType;
  readonly settings: Readonly<Record<string, string>>;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** A person in a tenant. */
export interface Member {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly role: string;
  readonly userId: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly picture: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

export interface TokenCount {
  readonly type: string;
  readonly count: number;
  readonly lastCreatedAt: Date | null;
}
