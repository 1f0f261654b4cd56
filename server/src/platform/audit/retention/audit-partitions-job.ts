import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { isConnectionLost } from '../../database/database-error.ts';
import type { Job } from '../../jobs/job.ts';

const monthsAhead = 3;
const attemptsMax = 5;
const pauseMs = 500;

/** Creates the partitions of the coming months. In a month without a partition, every operation would be rejected. */
export async function ensureAuditPartitions(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_partitions($1)', values: [monthsAhead] }));
      return;
    } catch (error) {
      // The statement gives way to any other process that is changing the log, and is then retried.
      if (!isConnectionLost(error) || attempt === attemptsMax) throw error;
      await delay(pauseMs * attempt);
    }
  }
}

export function auditPartitionsJob(database: Database): Job {
  return {
    name: 'audit-partitions',
    schedule: { everyMinutes: 24 * 60, atMinute: 3 * 60 + 17 },
    run: () => ensureAuditPartitions(database),
  };
}
