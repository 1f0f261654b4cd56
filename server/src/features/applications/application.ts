import type { AccessRule } from '../../core/access/access-rule.ts';
import type { GrantLimit } from '../../core/access/grant-limit.ts';
import type { ApplicationType, Permission } from '../../core/access/permission.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';

/** What is allowed to call the vault, and with which rights. */
export interface Application {
  readonly tenantId: TenantId;
  readonly id: ApplicationId;
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | null;
  /** Null where the application lists none, which is not the same as an empty list. */
  readonly allowedDestinations: readonly string[] | null;
  /** What a management application may hand out; null if nothing caps it. */
  readonly grantLimit: GrantLimit | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** A key of an application as it can be shown any time: without its secret. */
export interface ApplicationKey {
  readonly id: ApplicationKeyId;
  readonly version: number;
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

/** A key in the one answer that carries its secret. */
export interface NewApplicationKey extends ApplicationKey {
  readonly text: string;
}

/** What a caller may decide about an application. */
export interface ApplicationSettings {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | null;
  readonly allowedDestinations: readonly string[] | null;
  /** Undefined leaves it as it is: a client that does not know of limits must not lift one. */
  readonly grantLimit: GrantLimit | undefined;
}
