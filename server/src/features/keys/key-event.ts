import type { AuditEvent, Operation } from '../../platform/audit/record/audit-event.ts';
import type { TenantKeyPurpose } from '../../platform/keyring/keys/tenant-keyring.ts';

/** The audit record of a key operation: which key, never its bytes. */
export function keyEvent(
  key: { readonly purpose: TenantKeyPurpose; readonly version: number },
  operation: Operation,
): AuditEvent {
  return { entityType: 'key', entityId: `${key.purpose}/${key.version}`, operation, outcome: 'success' };
}
