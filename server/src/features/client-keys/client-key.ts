import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import {
  type AuditEvent,
  noSingleEntity,
  type Operation,
  successEvent,
} from '../../platform/audit/record/audit-event.ts';

/** A key pair with which clients encrypt data. The private half is not part of it. */
export interface ClientKey {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly publicKey: string;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export function clientKeyEvent(operation: Operation, id: string = noSingleEntity): AuditEvent {
  return successEvent('client_key', id, operation);
}

export function noSuchClientKey(): DomainError {
  return new DomainError('not-found', 'There is no such key, or it has expired.');
}
