import { Command } from 'commander';
import { processEnvironment, readDatabaseConfig } from '../platform/config/config.ts';
import type { Database } from '../platform/database/database.ts';
import type { TaskStatus } from '../platform/jobs/queue-status.ts';
import { printJson, printText } from './terminal/output.ts';
import { toTable } from './terminal/text-table.ts';

export function jobsCommand(): Command {
  return new Command('jobs')
    .description('Show background jobs, and retry those that failed at every attempt.')
    .addCommand(listCommand())
    .addCommand(retryCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('List the tasks that have jobs waiting, running or failed for good.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { listTasks } = await import('../platform/jobs/queue-status.ts');
      const tasks = await withQueue((database) => listTasks(database));
      if (json === true) printJson({ tasks: tasks.map(toTaskJson) });
      else printText(describeTasks(tasks));
    });
}

function retryCommand(): Command {
  return new Command('retry')
    .description('Retry jobs that failed at every attempt. Remove the cause first: the log of the worker names it.')
    .option('--task <name>', 'retry the jobs of this task only')
    .option('--json', 'print the result as JSON')
    .action(async ({ task, json }: { task?: string; json?: boolean }) => {
      const { retryDeadLetters } = await import('../platform/jobs/queue-status.ts');
      const { JobDatabase } = await import('../platform/jobs/job-database.ts');
      const retried = await withQueue((database, url) => retryDeadLetters(new JobDatabase(database, { url }), task));
      if (json === true) printJson({ retried });
      else printText(retried === 0 ? 'There is nothing to retry.' : `${retried} jobs are queued again.`);
    });
}

async function withQueue<T>(work: (database: Database, url: string) => Promise<T>): Promise<T> {
  const config = readDatabaseConfig(processEnvironment());
  const { openJobDatabase } = await import('../app/wiring/vault-core.ts');
  const database = openJobDatabase(config);
  try {
    await database.requireConnection();
    return await work(database, config.ownerUrl);
  } finally {
    await database.close();
  }
}

function describeTasks(tasks: readonly TaskStatus[]): string {
  if (tasks.length === 0) return 'No job is waiting or running, and none has failed for good.';
  const rows = tasks.map(({ task, waiting, running, lagSeconds, dead }) => [
    task,
    String(waiting),
    String(running),
    `${Math.round(lagSeconds)} s`,
    String(dead),
  ]);
  const table = toTable(['TASK', 'WAITING', 'RUNNING', 'OVERDUE', 'FAILED'], rows);
  return tasks.some(({ dead }) => dead > 0) ? `${table}\n\nTo retry those that failed: strongroom jobs retry` : table;
}

function toTaskJson({ task, waiting, running, lagSeconds, dead }: TaskStatus): object {
  return { task, waiting, running, overdue_seconds: lagSeconds, failed: dead };
}
