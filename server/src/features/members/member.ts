import { DomainError } from '../../core/errors/domain-error.ts';
import type { MemberRole } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import {
  type AuditDetails,
  type AuditEvent,
  type Operation,
  successEvent,
} from '../../platform/audit/record/audit-event.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';

export { memberRoles as roles } from '../../core/identity/caller.ts';
export type Role = MemberRole;

/** The ways in which people prove their identity, apart from a link. */
export const signInKinds = ['passkey', 'password', 'provider'] as const;
export type SignInKind = (typeof signInKinds)[number];

/** A person in a tenant. */
export interface Member {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly role: Role;
  readonly userId: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly picture: string | null;
  readonly lastSignedInAt: Date | null;
  readonly signInWays: readonly SignInKind[];
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

export function memberEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('member', id, operation);
}

/** Returns the audit event for a role change. A role determines all rights of a member. Undefined means no member. */
export function roleEvent(
  id: string,
  operation: Operation,
  change: { readonly before?: Role; readonly after?: Role },
): AuditEvent {
  return { ...memberEvent(id, operation), details: roleDetails(change) };
}

export function roleDetails({ before, after }: { readonly before?: Role; readonly after?: Role }): AuditDetails {
  const changes = [
    ...(before === undefined || before === after ? [] : [`role removed: ${before}`]),
    ...(after === undefined || before === after ? [] : [`role added: ${after}`]),
  ];
  return toChangeDetails(changes, JSON.stringify({ role: after ?? null }));
}

export function noSuchMember(): DomainError {
  return new DomainError('not-found', 'There is no such member.');
}
