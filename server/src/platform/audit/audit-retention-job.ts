import { nameOfTree } from '../../core/audit/log-tree.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import type { AuditSigner } from '../keyring/audit-signer.ts';
import type { SealedDatabase } from './anchoring.ts';
import { recordInTransaction } from './audit-log.ts';
import { isGenuine } from './checkpoint.ts';
import { isSameRemoval, type MonthRemoval, parseRemoval, toRemovalEvent, toRemovedMonth } from './month-removal.ts';
import { RetentionStore } from './retention-store.ts';
import { damagedMonth } from './seal-store.ts';

/** What the vault keeps, and the key with which it says that it has dropped something. */
export interface Retention {
  readonly monthsKept: number;
  readonly signer: AuditSigner;
}

/** Drops the months that the policy no longer keeps. What was dropped, and when, is itself in the log of each tenant. */
export function auditRetentionJob(log: SealedDatabase, retention: Retention): Job {
  return {
    name: 'audit-retention',
    schedule: { everyMinutes: 60, atMinute: 43 },
    run: (_payload, signal) => dropOldMonths(log, retention, signal),
  };
}

export async function dropOldMonths(log: SealedDatabase, retention: Retention, signal?: AbortSignal): Promise<void> {
  const { database } = log;
  const { monthsKept, signer } = retention;
  const droppable = await database.forSealer((tx) => new RetentionStore(tx).listDroppable(monthsKept));
  // The database says what it likes about the time, and what is signed must be so.
  for (const month of droppable.filter((each) => isPast(each, monthsKept))) {
    const removals = await listRemovals(log, month, signer);
    for (const removal of removals) {
      signal?.throwIfAborted();
      await recordRemoval(database, removal, signer);
    }
    // Dropped only once the records of it are sealed, which may be the next run: until then nothing would vouch for it.
    await database.forSealer(async (tx) => {
      const store = new RetentionStore(tx);
      const newest = await store.listNewestIn(month, log.node);
      // A straggler may have been sealed meanwhile: the next run records it too.
      const areRecorded = newest.every((each) => removals.some((removal) => isOfTree(removal, each)));
      if (areRecorded && (await store.isRemovalSealed(toRemovedMonth(month)))) await store.drop(month);
    });
  }
}

function isOfTree(removal: MonthRemoval, checkpoint: MonthRemoval): boolean {
  return removal.tenantId === checkpoint.tenantId && isSameRemoval(removal, checkpoint);
}

function isPast(month: string, monthsKept: number): boolean {
  const keptFrom = new Date();
  keptFrom.setUTCDate(1);
  keptFrom.setUTCMonth(keptFrom.getUTCMonth() - monthsKept);
  return month.slice(0, 7) < keptFrom.toISOString().slice(0, 7);
}

/** What is to be said of each tree: nothing about a checkpoint that the vault has not signed. */
async function listRemovals(log: SealedDatabase, month: string, { publicKey }: AuditSigner): Promise<MonthRemoval[]> {
  const newest = await log.database.forSealer((tx) => new RetentionStore(tx).listNewestIn(month, log.node));
  const damaged = newest.find((checkpoint) => !isGenuine(checkpoint, publicKey));
  if (damaged !== undefined) throw damagedMonth(nameOfTree(damaged), toRemovedMonth(month));
  return newest;
}

/** Written before the month is dropped: a crash in between leaves a record too early, never one too few. */
async function recordRemoval(database: Database, removal: MonthRemoval, signer: AuditSigner): Promise<void> {
  const tenantId = parseTenantId(removal.tenantId);
  const month = toRemovedMonth(removal.month);
  await database.forTenant(tenantId, async (tx) => {
    const isRecorded = (await new RetentionStore(tx).listRemovals(tenantId, month)).some((details) => {
      const known = parseRemoval({ month, details }, removal, signer.publicKey);
      return known !== undefined && isSameRemoval(known, removal);
    });
    if (!isRecorded) await recordInTransaction(tx, tenantId, 'system', toRemovalEvent(removal, signer));
  });
}
