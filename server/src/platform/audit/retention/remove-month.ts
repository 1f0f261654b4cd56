import { parseTenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { recordInTransaction } from '../record/audit-log.ts';
import { isSameRemoval, type MonthRemoval, parseRemoval, toRemovalEvent, toRemovedMonth } from './month-removal.ts';
import { RetentionStore } from './retention-store.ts';

interface Removal {
  readonly signer: AuditSigner;
  /** What the month holds. Nothing is dropped if it has come to hold more. */
  readonly removals: readonly MonthRemoval[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Records the removal of a month in the log of each tenant, and drops the month once the records are sealed, which may
 * take until the next call. Before that, no signature would cover the removal. Returns true if the month is dropped.
 */
export async function removeMonth(
  database: Database,
  month: string,
  { signer, removals, signal }: Removal,
): Promise<boolean> {
  for (const removal of removals) {
    signal?.throwIfAborted();
    await recordRemoval(database, removal, signer);
  }
  return database.forSealer(async (tx) => {
    const store = new RetentionStore(tx);
    const recorded = new Map(removals.map((removal) => [removal.tenantId, removal]));
    const areRecorded = (await store.listNewestIn(month)).every((newest) => {
      const removal = recorded.get(newest.tenantId);
      // A late record may have been sealed in the meantime. The next run records its removal too.
      return removal !== undefined && isSameRemoval(removal, newest);
    });
    if (!areRecorded || !(await store.isRemovalSealed(toRemovedMonth(month)))) return false;
    await store.drop(month);
    return true;
  });
}

/**
 * Records a removal before the month is dropped. A crash in between leaves a record that is too early, but never a
 * missing one.
 */
async function recordRemoval(database: Database, removal: MonthRemoval, signer: AuditSigner): Promise<void> {
  const tenantId = parseTenantId(removal.tenantId);
  const month = toRemovedMonth(removal.month);
  await database.forTenant(tenantId, async (tx) => {
    const isRecorded = (await new RetentionStore(tx).listRemovals(tenantId, month)).some((details) => {
      const known = parseRemoval({ month, details }, tenantId, signer.publicKey);
      return known !== undefined && isSameRemoval(known, removal) && known.isArchived === removal.isArchived;
    });
    if (!isRecorded) await recordInTransaction(tx, tenantId, 'system', toRemovalEvent(removal, signer));
  });
}
