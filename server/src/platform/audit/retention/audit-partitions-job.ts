import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { isConnectionLost } from '../../database/database-error.ts';
import type { Job } from '../../jobs/job.ts';

const monthsAhead = 3;
const attemptsMax = 5;
const pauseMs = 500;

/** Makes the partitions of the coming months. A month without one would refuse every operation. */
export async function ensureAuditPartitions(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_partitions($1)', values: [monthsAhead] }));
      return;
    } catch (error) {
      // It gives way to anyone who changes the log at this moment, and comes back.
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
