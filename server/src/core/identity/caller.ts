import type { Grants } from '../access/access-rule.ts';
import type { ApplicationType } from '../access/permission.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from './ids.ts';

/** Who a key belongs to and what it may do. */
export interface Identity {
  readonly tenantId: TenantId;
  readonly applicationId: ApplicationId;
  readonly applicationType: ApplicationType;
  readonly keyId: ApplicationKeyId;
  readonly grants: Grants;
  /** Hosts that the proxy may call for this key; absent where the application lists none. */
  readonly allowedDestinations?: readonly string[];
  /** Set where the key is that of a session; until it is authorized it may do nothing. */
  readonly session?: { readonly isAuthorized: boolean };
}

/** An identity in the course of one request: what services receive, and all that the audit log says about an actor. */
export interface Caller extends Identity {
  readonly requestId: string;
  readonly sourceAddress: string;
}
