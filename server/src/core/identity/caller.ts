import type { Grants } from '../access/access-rule.ts';
import type { GrantLimit } from '../access/grant-limit.ts';
import type { ApplicationType } from '../access/permission.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from './ids.ts';

/** The roles of people in a tenant. */
export const memberRoles = ['ADMIN', 'READ_ONLY', 'OWNER'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** The origins that a session can be restricted to. `elements` is the origin of the card fields. */
export const sessionOrigins = ['elements'] as const;
export type SessionOrigin = (typeof sessionOrigins)[number];

/** The owner of a key, and what the key may do. */
export interface Identity {
  readonly tenantId: TenantId;
  readonly applicationId: ApplicationId;
  readonly applicationType: ApplicationType;
  readonly keyId: ApplicationKeyId;
  readonly grants: Grants;
  /** Hosts that the proxy may call for this key; absent if the application has no list. */
  readonly allowedDestinations?: readonly string[];
  /** Origins of pages that may use this key; absent if the public application that it belongs to has no list. */
  readonly allowedOrigins?: readonly string[];
  /** The most that a management application may grant; absent if there is no limit. */
  readonly grantLimit?: GrantLimit;
  /** True if the tenant is deleted. The key is recognized and then rejected. */
  readonly isTenantDeleted?: true;
  /** True if owners and admins have yet to approve the key or its application. Until then, it has no access. */
  readonly awaitsApproval?: boolean;
  /** Present if the key belongs to a session. Until the session is authorized, it has no access. */
  readonly session?: { readonly isAuthorized: boolean; readonly origin?: SessionOrigin };
}

/** An identity during one request. */
export interface KeyCaller extends Identity {
  readonly requestId: string;
  readonly sourceAddress: string;
  /** The id of the stored proxy that lends its rights to the request, if any. Every record of the request names it. */
  readonly throughProxy?: string;
}

/** A signed-in person acting on one tenant during one request. */
export interface UserCaller {
  readonly tenantId: TenantId;
  readonly userId: string;
  readonly requestId: string;
  readonly sourceAddress: string;
}

/** A signed-in person, with the rights of their role in the tenant. */
export interface MemberCaller extends UserCaller {
  readonly role: MemberRole;
  /**
   * True if the person has just signed in with their own method. A sign-in link proves only that the link was received.
   */
  readonly isProven: boolean;
  /** True if the person has signed in at the OpenID provider. */
  readonly isByProvider: boolean;
  readonly grants: Grants;
  readonly grantLimit?: undefined;
  readonly session?: undefined;
}

/** The caller that services receive. The audit log records nothing else about an actor. */
export type Caller = KeyCaller | MemberCaller;

/** The actor of an audited operation. `system` is the program itself, or its operator on the command line. */
export type Actor = Caller | UserCaller | 'system';

/** Returns the value of `created_by` and `modified_by`. */
export function actorIdOf(actor: Exclude<Actor, 'system'>): string;
export function actorIdOf(actor: Actor): string | null;
export function actorIdOf(actor: Actor): string | null {
  if (actor === 'system') return null;
  return 'userId' in actor ? actor.userId : actor.applicationId;
}
