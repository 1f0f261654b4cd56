import type { AuditEvent, Outcome } from '../../platform/audit/record/audit-event.ts';
import type { ImportState } from './token-import-store.ts';

/** What the audit log says of an import beside the records of its tokens: of which file, as a keyed hash, and how much came of it. */
export function importEvent(source: Buffer, outcome: Outcome, state?: ImportState): AuditEvent {
  return {
    entityType: 'import',
    entityId: source.toString('hex'),
    operation: 'run',
    outcome,
    ...(state === undefined ? {} : { details: { imported: state.imported, rejected: state.rejected } }),
  };
}
