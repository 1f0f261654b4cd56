import type { Database } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import { deleteOldDeliveries } from './run-store.ts';

/** Removes deliveries after 30 days. */
export function sweepDeliveriesJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-deliveries',
    schedule: { everyMinutes: 60, atMinute: 21 },
    step: deleteOldDeliveries,
  });
}
