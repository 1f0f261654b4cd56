import type { Grants } from '../access/access-rule.ts';
import type { GrantLimit } from '../access/grant-limit.ts';
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
  /** The most that a management application may hand out; absent if nothing caps it. */
  readonly grantLimit?: GrantLimit;
  /** Set where the key is that of a session; until it is authorized it may do nothing. */
  readonly session?: { readonly isAuthorized: boolean };
}

/** An identity in the course of one request: what services receive, and all that the audit log says about an actor. */
export interface Caller extends Identity {
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** A person who is signed in, acting on one tenant in the course of one request. */
export interface UserCaller {
  readonly tenantId: TenantId;
  readonly userId: string;
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** Whoever does something that is written down; `system` is the program itself, or its operator at the command line. */
export type Actor = Caller | UserCaller | 'system';

/** What stands in `created_by` and `modified_by`. */
export function actorIdOf(actor: Actor): string | null {
  if (actor === 'system') return null;
  return 'userId' in actor ? actor.userId : actor.applicationId;
}
