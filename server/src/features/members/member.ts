import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/audit-event.ts';

export const roles = ['ADMIN', 'READ_ONLY', 'OWNER'] as const;
export type Role = (typeof roles)[number];

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
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

export function memberEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('member', id, operation);
}

export function noSuchMember(): DomainError {
  return new DomainError('not-found', 'There is no such member.');
}
