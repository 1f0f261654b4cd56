import { PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import type { JobDatabase } from './job-database.ts';

/** The options of every instance. `strongroom migrate` creates and upgrades the schema, and nothing else changes it. */
export const bossOptions = { schema: 'pgboss', migrate: false, createSchema: false } as const;
/** The queue of jobs that failed at every attempt. They stay there until an operator retries them. */
export const deadLetters = 'dead-letters';

/** The jobs of a task that are not done. */
export interface TaskStatus {
  readonly task: string;
  readonly waiting: number;
  readonly running: number;
  /** For how long the oldest due job has been waiting for a worker. */
  readonly lagSeconds: number;
  /** The number of jobs that failed at every attempt. */
  readonly dead: number;
}

/** Lists the tasks that have jobs. All workers share them. */
export function listTasks(database: Database): Promise<TaskStatus[]> {
  return database.forWorker((tx) =>
    tx.query<TaskStatus>({
      name: 'list-job-tasks',
      text: `select task, count(*) filter (where not is_dead and state < 'active')::integer as waiting,
          count(*) filter (where not is_dead and state = 'active')::integer as running,
          coalesce(extract(epoch from now() - min(start_after) filter (
            where not is_dead and state < 'active' and start_after <= now())), 0)::float8 as "lagSeconds",
          count(*) filter (where is_dead)::integer as dead
        from (select coalesce(source_name, name) as task, name = '${deadLetters}' as is_dead, state, start_after
          from pgboss.job_common where state <= 'active' and not starts_with(name, '__pgboss__')) as job
        group by task order by task`,
    }),
  );
}

/** Returns dead letters to their queues, of one task or of all, and returns how many there were. */
export async function retryDeadLetters(database: JobDatabase, task?: string): Promise<number> {
  const boss = new PgBoss({ db: database, ...bossOptions, supervise: false, schedule: false });
  // Nothing runs in the background here, so there is nothing to report but what `redrive` throws.
  boss.on('error', () => undefined);
  await boss.start();
  try {
    let retried = 0;
    for (;;) {
      const moved = await boss.redrive(deadLetters, task === undefined ? {} : { sourceName: task });
      if (moved === 0) return retried;
      retried += moved;
    }
  } finally {
    await boss.stop();
  }
}
