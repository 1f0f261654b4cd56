import { DomainError } from '../../core/errors/domain-error.ts';
import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';

/** A tenant has one owner, who cannot be invited. */
export const invitedRoles = ['ADMIN', 'READ_ONLY'] as const;
export type InvitedRole = (typeof invitedRoles)[number];

export const invitationStatuses = ['PENDING', 'EXPIRED'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** How long an invitation is valid, and how much a resend adds. */
export const lifetimeSeconds = 72 * 60 * 60;

export interface Invitation {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly email: EmailAddress;
  readonly role: InvitedRole;
  readonly status: InvitationStatus;
  readonly linkNumber: number;
  /** When owners and admins approved it; null if they have not, or did not have to. */
  readonly approvedAt: Date | null;
  readonly expiresAt: Date;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
  /** The member on whose authority it was sent; null for the operator. */
  readonly grantedBy: string | null;
}

/** What an invited person sees before accepting: the inviter, the tenant and the role. */
export interface InvitationDetails extends Invitation {
  readonly tenantName: string;
  /** Name of the application or address of the user; null if an operator invited on the command line. */
  readonly inviter: string | null;
  /** Nobody can join a deleted tenant. */
  readonly isTenantDeleted: boolean;
}

/** Whether an operator has made it, or owners and admins have approved it. */
export function isAgreed({ createdBy, approvedAt }: Invitation): boolean {
  return createdBy === null || approvedAt !== null;
}

export function invitationEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('invitation', id, operation);
}

export function noSuchInvitation(): DomainError {
  return new DomainError('not-found', 'There is no such invitation.');
}
