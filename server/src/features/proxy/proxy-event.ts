import type { AuditEvent, Outcome } from '../../platform/audit/record/audit-event.ts';

/**
 * Returns the audit event of a call: that it was made, to which host, and its outcome. It never contains the data that
 * was sent.
 */
export function proxyEvent(callId: string, outcome: Outcome, destination: string | undefined): AuditEvent {
  return {
    entityType: 'proxy',
    entityId: callId,
    operation: 'invoke',
    outcome,
    ...(destination === undefined ? {} : { destination }),
  };
}
