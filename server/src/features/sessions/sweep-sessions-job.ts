import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { deleteExpiredSessions } from './session-store.ts';

/** Removes expired sessions. */
export function sweepSessionsJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-sessions',
    schedule: { everyMinutes: 15, atMinute: 0 },
    step: deleteExpiredSessions,
  });
}
