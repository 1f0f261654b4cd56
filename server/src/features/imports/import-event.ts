import type { AuditEvent, Outcome } from '../../platform/audit/record/audit-event.ts';
import type { ImportState } from './token-import-store.ts';

/**
 * Returns the audit event for an import, in addition to the records of its tokens. It contains a keyed hash of the file
 * and the numbers of imported and rejected records.
 */
export function importEvent(source: Buffer, outcome: Outcome, state?: ImportState): AuditEvent {
  return {
    entityType: 'import',
    entityId: source.toString('hex'),
    operation: 'run',
    outcome,
    ...(state === undefined ? {} : { details: { imported: state.imported, rejected: state.rejected } }),
  };
}
