import { type GroundFinding, ok } from './ground-finding.ts';

const name = 'writable';

/** Advice for a database that refuses every change. */
export const readOnlyRemedy =
  'find out who made it read-only: managed services do so when the disk is nearly full. Free space, then reset default_transaction_read_only (docs/runbooks/database-down.md)';

export function checkWritable({ isReadOnly }: { readonly isReadOnly: boolean }): GroundFinding {
  if (!isReadOnly) return ok(name, 'accepts changes');
  return {
    name,
    verdict: 'fail',
    detail: 'PostgreSQL refuses every change (SQLSTATE 25006, transaction_read_only is on)',
    promise: 'the vault can store tokens and write its audit log, without which it responds to almost nothing',
    remedy: readOnlyRemedy,
  };
}
