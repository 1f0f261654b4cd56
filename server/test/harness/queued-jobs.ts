import type pg from 'pg';

/** A job as it is stored. A job that is done is not listed. */
export interface QueuedJob {
  readonly id: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly state: 'created' | 'retry' | 'active';
  readonly attempts: number;
  readonly startAfter: Date;
}

/** Lists the jobs of a task that wait or run. */
export async function listQueued(owner: pg.Pool | pg.Client, task: string): Promise<QueuedJob[]> {
  const { rows } = await owner.query<QueuedJob>(
    `select id, singleton_key as key, data as payload, state, start_after as "startAfter",
        retry_count + (started_on is not null)::integer as attempts
      from pgboss.job_common where name = $1 and state <= 'active' order by key`,
    [task],
  );
  return rows;
}

/** Queues a scheduled job immediately, as its schedule does. The worker must have started. */
export async function queueNow(owner: pg.Pool | pg.Client, task: string): Promise<void> {
  const { rowCount } = await owner.query(
    `insert into pgboss.job_common (name, policy, heartbeat_seconds, keep_until)
      select name, policy, heartbeat_seconds, now() + interval '1 day' from pgboss.queue where name = $1
      on conflict do nothing`,
    [task],
  );
  if (rowCount === 0) {
    const { rows } = await owner.query('select from pgboss.queue where name = $1', [task]);
    if (rows.length === 0) throw new Error(`No worker has offered ${task} yet.`);
  }
}

/** Makes every waiting job of a task due now. */
export async function makeDue(owner: pg.Pool | pg.Client, task: string): Promise<void> {
  await owner.query(`update pgboss.job_common set start_after = now() where name = $1 and state < 'active'`, [task]);
}
