import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { deleteExpiredResults } from './idempotency-store.ts';

/** Deletes expired results. They are not returned after they expire, whether or not they have been deleted. */
export function sweepIdempotencyJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-idempotency',
    schedule: { everyMinutes: 60, atMinute: 17 },
    step: deleteExpiredResults,
  });
}
