import type { Job } from '../../../platform/jobs/job.ts';
import { jobOnAll } from '../../../platform/jobs/job-on-all.ts';
import { type Sweep, sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import type { Nodes } from '../../../platform/nodes/nodes.ts';
import { forgetEmptySets } from './empty-set-store.ts';
import { deleteLeftClaims } from '../write/index.ts';
import { deleteExpiredCodes, deleteExpiredTokens } from './token-sweep-store.ts';

/** Removes what tokens and card verification codes leave behind when their time is over, and sets of containers that are empty. */
export function sweepTokensJobs(nodes: Nodes): Job[] {
  const sweep = (of: Sweep) => jobOnAll(nodes.all, ({ database }) => sweepJob(database, of));
  return [
    sweep({ name: 'sweep-tokens', schedule: { everyMinutes: 5, atMinute: 0 }, step: deleteExpiredTokens }),
    sweep({ name: 'sweep-codes', schedule: { everyMinutes: 5, atMinute: 0 }, step: deleteExpiredCodes }),
    sweep({ name: 'sweep-claims', schedule: { everyMinutes: 60, atMinute: 17 }, step: deleteLeftClaims }),
    sweep({
      name: 'sweep-container-sets',
      schedule: { everyMinutes: 60, atMinute: 41 },
      step: forgetEmptySets,
    }),
  ];
}
