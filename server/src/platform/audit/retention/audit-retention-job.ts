import { parseTenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Job } from '../../jobs/job.ts';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { recordInTransaction } from '../record/audit-log.ts';
import { isGenuine } from '../seal/checkpoint.ts';
import { isSameRemoval, type MonthRemoval, parseRemoval, toRemovalEvent, toRemovedMonth } from './month-removal.ts';
import { RetentionStore } from './retention-store.ts';
import { damagedMonth } from '../seal/seal-store.ts';

/** The number of months of log to keep, and the key that signs the removal of older months. */
export interface Retention {
  readonly monthsKept: number;
  readonly signer: AuditSigner;
  readonly now?: () => Date;
}

/** Drops the months that are past their retention. Each tenant's log records what was dropped and when. */
export function auditRetentionJob(database: Database, retention: Retention): Job {
  return {
    name: 'audit-retention',
    schedule: { everyMinutes: 60, atMinute: 43 },
    run: (_payload, signal) => dropOldMonths(database, retention, signal),
  };
}

export async function dropOldMonths(database: Database, retention: Retention, signal?: AbortSignal): Promise<void> {
  const { monthsKept, signer, now = () => new Date() } = retention;
  const droppable = await database.forSealer((tx) => new RetentionStore(tx).listDroppable(monthsKept));
  // The database's clock is not trusted here, because the vault signs the removal and must not sign a false statement.
  for (const month of droppable.filter((each) => isPast(each, monthsKept, now()))) {
    const removals = await listRemovals(database, month, signer);
    for (const removal of removals) {
      signal?.throwIfAborted();
      await recordRemoval(database, removal, signer);
    }
    // A month is dropped only after the records of its removal are sealed, which may take until the next run. Before
    // that, no signature would cover the removal.
    await database.forSealer(async (tx) => {
      const store = new RetentionStore(tx);
      const recorded = new Map(removals.map((removal) => [removal.tenantId, removal]));
      const areRecorded = (await store.listNewestIn(month)).every((newest) => {
        const removal = recorded.get(newest.tenantId);
        // A late record may have been sealed in the meantime. The next run records its removal too.
        return removal !== undefined && isSameRemoval(removal, newest);
      });
      if (areRecorded && (await store.isRemovalSealed(toRemovedMonth(month)))) await store.drop(month);
    });
  }
}

function isPast(month: string, monthsKept: number, now: Date): boolean {
  const keptFrom = new Date(now);
  keptFrom.setUTCDate(1);
  keptFrom.setUTCMonth(keptFrom.getUTCMonth() - monthsKept);
  return month.slice(0, 7) < keptFrom.toISOString().slice(0, 7);
}

/**
 * Lists the removals of a month from each tenant's log. Throws if one of the checkpoints is not what the vault signed.
 */
async function listRemovals(
  database: Database,
  month: string,
  { publicKey }: AuditSigner,
): Promise<readonly MonthRemoval[]> {
  const newest = await database.forSealer((tx) => new RetentionStore(tx).listNewestIn(month));
  const damaged = newest.find((checkpoint) => !isGenuine(checkpoint, publicKey));
  if (damaged !== undefined) throw damagedMonth(damaged.tenantId, toRemovedMonth(month));
  return newest;
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
      return known !== undefined && isSameRemoval(known, removal);
    });
    if (!isRecorded) await recordInTransaction(tx, tenantId, 'system', toRemovalEvent(removal, signer));
  });
}
