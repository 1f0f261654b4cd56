import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { deleteExpiredSessions } from './session-store.ts';

/** Removes expired sessions. */
export function sweepSessionsJob(database: Database): Job {
  return sweepJob(database, { name: 'sweep-sessions', cron: '*/15 * * * *', step: deleteExpiredSessions });
}
