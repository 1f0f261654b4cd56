import { DomainError } from '../../core/errors/domain-error.ts';
import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';

/** The roles that people can be invited to. A tenant has one owner, who cannot be invited. */
export const invitedRoles = ['ADMIN', 'READ_ONLY'] as const;
export type InvitedRole = (typeof invitedRoles)[number];

export const invitationStatuses = ['PENDING', 'EXPIRED'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** The lifetime of an invitation in seconds. A resend adds the same time. */
export const lifetimeSeconds = 72 * 60 * 60;

export interface Invitation {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly email: EmailAddress;
  readonly role: InvitedRole;
  readonly status: InvitationStatus;
  readonly linkNumber: number;
  /** The time of the approval. Null if the invitation has not been approved or needs no approval. */
  readonly approvedAt: Date | null;
  readonly expiresAt: Date;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
  /** The member on whose authority the invitation was sent. Null for the operator. */
  readonly grantedBy: string | null;
}

/** The details that an invited person sees before accepting: the inviter, the tenant and the role. */
export interface InvitationDetails extends Invitation {
  readonly tenantName: string;
  /** The name of the application or the address of the user. Null if an operator invited on the command line. */
  readonly inviter: string | null;
  /** True if the tenant is deleted. Nobody can join it then. */
  readonly isTenantDeleted: boolean;
}

/** Returns true if an operator created the invitation, or if it has been approved. */
export function isAgreed({ createdBy, approvedAt }: Invitation): boolean {
  return createdBy === null || approvedAt !== null;
}

export function invitationEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('invitation', id, operation);
}

export function noSuchInvitation(): DomainError {
  return new DomainError('not-found', 'There is no such invitation.');
}
