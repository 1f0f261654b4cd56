import type { AuditEvent, Operation } from '../../platform/audit/audit-event.ts';
import type { TenantKeyPurpose } from '../../platform/keyring/tenant-keyring.ts';

/** What the audit log says of an operation on a key: which one, never what it is. */
export function keyEvent(
  key: { readonly purpose: TenantKeyPurpose; readonly version: number },
  operation: Operation,
): AuditEvent {
  return { entityType: 'key', entityId: `${key.purpose}/${key.version}`, operation, outcome: 'success' };
}
