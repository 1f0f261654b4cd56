import type { Database } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import { forgetEmptySets } from './empty-set-store.ts';
import { deleteLeftClaims } from '../write/index.ts';
import { deleteExpiredCodes, deleteExpiredTokens } from './token-sweep-store.ts';

/**
 * Removes expired tokens and card verification codes with everything that belongs to them, leftover claims, and empty
 * container sets.
 */
export function sweepTokensJobs(database: Database): Job[] {
  return [
    sweepJob(database, { name: 'sweep-tokens', schedule: { everyMinutes: 5, atMinute: 0 }, step: deleteExpiredTokens }),
    sweepJob(database, { name: 'sweep-codes', schedule: { everyMinutes: 5, atMinute: 0 }, step: deleteExpiredCodes }),
    sweepJob(database, { name: 'sweep-claims', schedule: { everyMinutes: 60, atMinute: 17 }, step: deleteLeftClaims }),
    sweepJob(database, {
      name: 'sweep-container-sets',
      schedule: { everyMinutes: 60, atMinute: 41 },
      step: forgetEmptySets,
    }),
  ];
}
