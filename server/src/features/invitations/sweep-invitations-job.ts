import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import { forgetExpiredLinks } from './invitation-store.ts';

/** Removes the links of expired invitations. The invitations stay, because they are listed and can be resent. */
export function sweepInvitationsJob(database: Database): Job {
  return sweepJob(database, {
    name: 'sweep-invitations',
    schedule: { everyMinutes: 15, atMinute: 0 },
    step: forgetExpiredLinks,
  });
}
