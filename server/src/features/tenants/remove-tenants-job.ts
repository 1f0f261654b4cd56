import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { TenantDeletion } from './tenant-deletion.ts';

/** Removes tenants seven days after they were deleted. Their rows are purged by another job. */
export function removeTenantsJob(database: Database): Job {
  return {
    name: 'remove-tenants',
    schedule: { everyMinutes: 15, atMinute: 7 },
    run: (_payload, signal) => new TenantDeletion(database).removeDue(signal),
  };
}
