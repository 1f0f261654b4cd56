import type { AccessRule } from '../../core/access/access-rule.ts';
import type { GrantLimit } from '../../core/access/grant-limit.ts';
import type { ApplicationType, Permission } from '../../core/access/permission.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';

/** An API client and its permissions. */
export interface Application {
  readonly tenantId: TenantId;
  readonly id: ApplicationId;
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | null;
  /** Null if the application has no list, which is not the same as an empty list. */
  readonly allowedDestinations: readonly string[] | null;
  /** Origins of the pages that may use the keys of a public application. Null if it has no list. */
  readonly allowedOrigins: readonly string[] | null;
  /** The rights that a management application may grant. Null if there is no limit. */
  readonly grantLimit: GrantLimit | null;
  /**
   * True for a new application whose rights have not been approved. Until then it has no rights, and its keys are
   * rejected.
   */
  readonly awaitsApproval: boolean;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** An application key without its secret, so that it can be shown at any time. */
export interface ApplicationKey {
  readonly id: ApplicationKeyId;
  readonly version: number;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  /** Updated every few seconds. Null for a key that was never used. */
  readonly lastUsedAt: Date | null;
  /** True for a key that is rejected until it is approved. */
  readonly awaitsApproval: boolean;
}

/** A key in the only response that contains its secret. */
export interface NewApplicationKey extends ApplicationKey {
  readonly text: string;
}

/** The settings of an application that a caller may choose. */
export interface ApplicationSettings {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | null;
  readonly allowedDestinations: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  /** Undefined leaves the limit unchanged, so that a client that does not know about limits cannot remove one. */
  readonly grantLimit: GrantLimit | undefined;
}
