import type { AuditEvent, Operation } from '../../platform/audit/record/audit-event.ts';
import type { TenantKeyPurpose } from '../../platform/keyring/keys/tenant-keyring.ts';

/** Returns the audit event for a key operation. It identifies the key and never contains its bytes. */
export function keyEvent(
  key: { readonly purpose: TenantKeyPurpose; readonly version: number },
  operation: Operation,
): AuditEvent {
  return { entityType: 'key', entityId: `${key.purpose}/${key.version}`, operation, outcome: 'success' };
}
