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

/** The maximum number of ids in a record. */
const idsMax = 20;

/** Adds the tokens that the call has created. Each of them has a record of its own too. */
export function withCreated(event: AuditEvent, ids: readonly string[]): AuditEvent {
  return ids.length === 0 ? event : { ...event, details: { tokens: ids.slice(0, idsMax), count: ids.length } };
}
