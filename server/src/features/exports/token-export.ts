import { DomainError } from '../../core/errors/domain-error.ts';
import type { AuditEvent, Operation, Outcome } from '../../platform/audit/record/audit-event.ts';
import type { ExportRecipient } from '../../platform/keyring/export-recipient.ts';

/** The tokens to export, all by default. */
export interface ExportFilter {
  readonly type: string | null;
  /** Selects the tokens in exactly this container. */
  readonly container: string | null;
}

export interface Approval {
  readonly userId: string;
  readonly email: string | null;
  readonly approvedAt: Date;
  readonly memberSince: Date;
}

export interface TokenExport {
  readonly id: string;
  readonly recipient: ExportRecipient;
  readonly filter: ExportFilter;
  /** The account and the machine, as reported by the machine. */
  readonly requestedFrom: string;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly approvalsNeeded: number;
  /** The approvals of people who may still approve. */
  readonly approvals: readonly Approval[];
  readonly status: 'waiting' | 'approved' | 'refused' | 'expired' | 'started' | 'finished';
  readonly tokens: number | null;
}

export function exportEvent(id: string, operation: Operation, outcome: Outcome = 'success'): AuditEvent {
  return { entityType: 'export', entityId: id, operation, outcome };
}

export function noSuchExport(): DomainError {
  return new DomainError('not-found', 'There is no such export.');
}
