import type { TenantId } from '../../../core/identity/ids.ts';
import { dayMs } from '../../../core/expiry/life-limit.ts';
import { monthOf } from '../../../platform/audit/seal/audit-record.ts';
import { listMonthsKept } from '../../../platform/audit/verify/log-months.ts';
import type { Database } from '../../../platform/database/database.ts';
import { listTenantIds } from '../../../platform/database/ground/database-inspection.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import { isLogYounger, RetentionSweepStore, type UnusedCursor } from './retention-sweep-store.ts';

const looksPerStep = 500;
/** A tenant with more old tokens is continued on the next day, so that it does not delay the others. */
const looksMax = 500_000;

export interface SweepDatabases {
  readonly database: Database;
  /** The database as the sealer sees it, which knows which months of the log are kept. */
  readonly log: Database;
}

/** Applies the retention rules of all tenants: by age twice an hour, and once a day by use. */
export function sweepRetentionJobs({ database, log }: SweepDatabases): Job[] {
  return [
    sweepJob(database, {
      name: 'sweep-retention',
      schedule: { everyMinutes: 30, atMinute: 9 },
      step: async (tx, tenantId, limit) => {
        const store = new RetentionSweepStore(tx, tenantId);
        if (!(await store.hasRules())) return 0;
        const removed = await store.removeOld(limit);
        if (removed < limit) await store.noteSwept('age');
        return removed;
      },
    }),
    {
      name: 'sweep-unused',
      schedule: { everyMinutes: 24 * 60, atMinute: 3 * 60 + 23 },
      async run(_payload, signal) {
        const failures: unknown[] = [];
        for (const tenantId of await listTenantIds(database)) {
          signal?.throwIfAborted();
          await sweepUnused({ database, log }, tenantId, signal).catch((error: unknown) => failures.push(error));
        }
        if (failures.length > 0) throw failures[0];
      },
    },
  ];
}

async function sweepUnused(
  { database, log }: SweepDatabases,
  tenantId: TenantId,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shelves = await database.forTenant(tenantId, async (tx) => {
    const store = new RetentionSweepStore(tx, tenantId);
    return (await store.hasRules()) ? store.listUsed() : [];
  });
  if (shelves.length === 0) return;
  let looks = 0;
  let tooLong: number | undefined;
  for (const shelf of shelves) {
    // Where the log of the period is gone, every token would look unused. Shorter periods can be judged nevertheless.
    if (!(await isLogKept(log, shelf.days))) {
      tooLong = shelf.days;
      continue;
    }
    for (let after: UnusedCursor | undefined; ; ) {
      signal?.throwIfAborted();
      if (looks >= looksMax) return;
      const step = await database.forTenant(tenantId, (tx) =>
        new RetentionSweepStore(tx, tenantId).removeUnused(shelf, { after, limit: looksPerStep }),
      );
      looks += step.looked;
      after = step.next;
      if (step.looked < looksPerStep) break;
    }
  }
  if (tooLong !== undefined) throw logTooShort(tooLong);
  await database.forTenant(tenantId, (tx) => new RetentionSweepStore(tx, tenantId).noteSwept('use'));
}

/** Returns whether the log still has the whole period, or is younger than that. */
async function isLogKept(log: Database, days: number): Promise<boolean> {
  const from = monthOf(Date.now() - days * dayMs);
  const kept = await listMonthsKept(log, [from]);
  return kept.has(from) || (await log.forSealer((tx) => isLogYounger(tx, from)));
}

function logTooShort(days: number): Error {
  return new Error(
    `A retention rule removes tokens that were not used for ${days} days, but the audit log of that time is no longer in the database. Keep the log longer (STRONGROOM_AUDIT_RETENTION_MONTHS) or shorten the rule.`,
  );
}
