import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { sweepJob } from '../../platform/jobs/tenant-sweep.ts';
import type { ApprovalDecisions } from './approval-decisions.ts';

/** Expires requests after 72 hours. After that time they cannot be approved, whether or not this job has run. */
export function sweepApprovalsJob(database: Database, decisions: ApprovalDecisions): Job {
  return sweepJob(database, {
    name: 'sweep-approvals',
    schedule: { everyMinutes: 15, atMinute: 5 },
    step: (tx, tenantId, limit) => decisions.sweep(tx, tenantId, limit),
  });
}
