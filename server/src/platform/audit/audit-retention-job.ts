import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { successEvent } from './audit-event.ts';
import { recordInTransaction } from './audit-log.ts';
import { RetentionStore } from './retention-store.ts';

/** Drops the months that the policy no longer keeps. What was dropped, and when, is itself in the log of each tenant. */
export function auditRetentionJob(database: Database, monthsKept: number): Job {
  return {
    name: 'audit-retention',
    schedule: { everyMinutes: 60, atMinute: 43 },
    run: (_payload, signal) => dropOldMonths(database, monthsKept, signal),
  };
}

export async function dropOldMonths(database: Database, monthsKept: number, signal?: AbortSignal): Promise<void> {
  const months = await database.forSealer((tx) => new RetentionStore(tx).listDroppable(monthsKept));
  for (const month of months) {
    for (const tenantId of await database.forSealer((tx) => new RetentionStore(tx).listTenantsIn(month))) {
      signal?.throwIfAborted();
      await recordRemoval(database, tenantId, month);
    }
    // Dropped only once the records of it are sealed, which may be the next run: until then nothing would vouch for it.
    await database.forSealer(async (tx) => {
      const store = new RetentionStore(tx);
      if (await store.isRemovalSealed(month.slice(0, 7))) await store.drop(month);
    });
  }
}

/** Written before the month is dropped: a crash in between leaves a record too early, never one too few. */
async function recordRemoval(database: Database, tenantId: TenantId, month: string): Promise<void> {
  const entityId = month.slice(0, 7);
  await database.forTenant(tenantId, async (tx) => {
    if (await new RetentionStore(tx).isRemovalRecorded(tenantId, entityId)) return;
    await recordInTransaction(tx, tenantId, 'system', successEvent('log', entityId, 'delete'));
  });
}
