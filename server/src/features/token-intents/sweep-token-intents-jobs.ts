import type { TenantId } from '../../core/identity/ids.ts';
import { recordAllInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { forgetExpiredCodes, intentEvent, takeExpiredIntents } from '../tokens/index.ts';

/** Removes expired token intents and the expired verification codes of others. */
export function sweepTokenIntentsJobs(database: Database): Job[] {
  const schedule = { everyMinutes: 5, atMinute: 2 };
  return [
    sweepJob(database, { name: 'sweep-token-intents', schedule, step: deleteExpiredIntents }),
    sweepJob(database, { name: 'sweep-intent-codes', schedule, step: deleteExpiredIntentCodes }),
  ];
}

/** Deletes expired intents and records each removal. */
export async function deleteExpiredIntents(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const gone = await takeExpiredIntents(tx, tenantId, limit);
  const events = gone.map((intent) => intentEvent('expire', intent));
  if (events.length > 0) await recordAllInTransaction(tx, tenantId, 'system', events);
  return gone.length;
}

/** Deletes expired verification codes and records each removal, so that it can be proven. */
export async function deleteExpiredIntentCodes(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const gone = await forgetExpiredCodes(tx, tenantId, limit);
  const details = { fields: ['data.cvc'] };
  const events = gone.map((intent) => ({ ...intentEvent('property_expired', intent), details }));
  if (events.length > 0) await recordAllInTransaction(tx, tenantId, 'system', events);
  return gone.length;
}
