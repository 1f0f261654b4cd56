import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { deleteExpiredResults } from './idempotency-store.ts';

/** Deletes expired results. An expired result is never returned, even if it has not been deleted yet. */
export function sweepIdempotencyJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-idempotency',
    schedule: { everyMinutes: 60, atMinute: 17 },
    step: deleteExpiredResults,
  });
}
