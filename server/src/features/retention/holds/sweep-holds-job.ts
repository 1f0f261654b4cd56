import { recordAllInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import { endedHoldDays, holdEvent } from './legal-hold.ts';
import { LegalHoldStore } from './legal-hold-store.ts';

/** Removes holds a year after they are over, with the reason and the metadata that people chose. The log has what they did. */
export function sweepHoldsJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-legal-holds',
    schedule: { everyMinutes: 24 * 60, atMinute: 4 * 60 + 41 },
    step: async (tx, tenantId, limit) => {
      const forgotten = await new LegalHoldStore(tx, tenantId).forgetEnded(endedHoldDays, limit);
      const events = forgotten.map((id) => holdEvent(id, 'expire'));
      if (events.length > 0) await recordAllInTransaction(tx, tenantId, 'system', events);
      return forgotten.length;
    },
  });
}
