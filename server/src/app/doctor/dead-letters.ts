import type { Database } from '../../platform/database/database.ts';
import { listTasks, type TaskStatus } from '../../platform/jobs/queue-status.ts';

/** Lists the tasks with jobs that failed at every attempt. */
export async function findDeadLetters(database: Database): Promise<TaskStatus[]> {
  return (await listTasks(database)).filter(({ dead }) => dead > 0);
}

export function describeDeadLetters(tasks: readonly TaskStatus[]): string {
  if (tasks.length === 0) return 'none has failed for good';
  const failed = tasks.map(({ task, dead }) => `${dead} of ${task}`).join(', ');
  return `failed at every attempt: ${failed}. Remove the cause, then run strongroom jobs retry (docs/runbooks/job-dead.md)`;
}
