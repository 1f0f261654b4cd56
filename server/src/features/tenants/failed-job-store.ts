import type { Transaction } from '../../platform/database/database.ts';

/** The jobs of one task that failed at every attempt and wait for an operator. */
export interface FailedTask {
  readonly task: string;
  readonly jobs: number;
  readonly lastFailedAt: Date;
}

/** Lists the failed jobs of the transaction's tenant. The application cannot see those of others, or any other job. */
export function listFailedTasks(tx: Transaction): Promise<FailedTask[]> {
  return tx.query<FailedTask>({
    name: 'failed-jobs',
    text: 'select task, jobs, last_failed_at as "lastFailedAt" from failed_jobs()',
  });
}
