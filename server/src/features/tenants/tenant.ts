import type { TenantId } from '../../core/identity/ids.ts';

export type TenantType = 'test' | 'production';

/** The maximum number of settings of a tenant. */
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
  /** Null unless the tenant has been deleted but not removed yet. */
  readonly deletedAt: Date | null;
}

export interface TokenCount {
  readonly type: string;
  readonly count: number;
  readonly lastCreatedAt: Date | null;
}
