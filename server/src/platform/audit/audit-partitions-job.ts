import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';

const monthsAhead = 3;

/** Makes the partitions of the coming months. A month without one would refuse every operation. */
export async function ensureAuditPartitions(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_partitions($1)', values: [monthsAhead] }));
}

export function auditPartitionsJob(database: Database): Job {
  return { name: 'audit-partitions', cron: '17 3 * * *', run: () => ensureAuditPartitions(database) };
}
