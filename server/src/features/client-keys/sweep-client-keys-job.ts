import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { deleteExpiredClientKeys } from './client-key-store.ts';

/** Removes expired client keys with their private halves. */
export function sweepClientKeysJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-client-keys',
    schedule: { everyMinutes: 15, atMinute: 4 },
    step: deleteExpiredClientKeys,
  });
}
