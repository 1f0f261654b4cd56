import type { Database, Statement } from '../database/database.ts';
import type { ScheduledJob } from './job.ts';
import { nextTime } from './schedule.ts';

/**
 * The maximum number of times that the delay doubles. The delay is two seconds after the first failure, and 68 minutes
 * after the twelfth and every later one.
 */
const doublingsMax = 12;

/** A job that this process has taken from the queue. */
export interface ClaimedJob {
  readonly key: string;
  readonly task: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly claim: string;
  /**
   * The time of the claim according to the database's clock. All times here use that clock, because the clocks of
   * workers may differ.
   */
  readonly claimedAt: Date;
}

/** The time for which the oldest due job of a task has been waiting. */
export interface JobLag {
  readonly task: string;
  readonly seconds: number;
}

/**
 * The queue. Every statement on a claimed job includes its claim, so that it has no effect if the job now belongs to
 * another worker.
 */
export class JobStore {
  readonly #database: Database;
  readonly #leaseSeconds: number;

  constructor(database: Database, leaseSeconds: number) {
    this.#database = database;
    this.#leaseSeconds = leaseSeconds;
  }

  /** Adds scheduled jobs to the queue, and brings their next run forward if they now run more often. */
  async plant(jobs: readonly ScheduledJob[]): Promise<void> {
    await this.#database.forWorker(async (tx) => {
      const [{ now } = { now: new Date() }] = await tx.query<{ now: Date }>({ text: 'select now()' });
      for (const { name, schedule } of jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        if (schedule === undefined) continue;
        await tx.query({
          text: `insert into jobs (key, task, run_at) values ($1, $1, $2)
            on conflict (key) do update set run_at = excluded.run_at
            where jobs.claim is null and jobs.run_at > excluded.run_at`,
          values: [name, nextTime(schedule, now)],
        });
      }
    });
  }

  /** Takes the job that has been due for longest among these tasks. Jobs that other workers are taking are skipped. */
  async claim(tasks: readonly string[]): Promise<ClaimedJob | undefined> {
    const [job] = await this.#run<ClaimedJob>({
      name: 'claim-job',
      text: `update jobs set claim = gen_random_uuid(), attempts = attempts + 1, run_at = now() + make_interval(secs => $2)
        where key = (select key from jobs where run_at <= now() and task = any($1)
          order by run_at limit 1 for update skip locked)
        returning key, task, payload, attempts, claim, now() as "claimedAt"`,
      values: [tasks, this.#leaseSeconds],
    });
    return job;
  }

  /** Lists the lags of tasks that have a due job. A running job is not due, unless its worker has died. */
  listLags(): Promise<JobLag[]> {
    return this.#run<JobLag>({
      name: 'list-job-lags',
      text: `select task, extract(epoch from now() - min(run_at))::float8 as seconds
        from jobs where run_at <= now() group by task`,
    });
  }

  /** Extends the lease of a running job. */
  async renew({ key, claim }: ClaimedJob): Promise<void> {
    await this.#run({
      text: 'update jobs set run_at = now() + make_interval(secs => $3) where key = $1 and claim = $2',
      values: [key, claim, this.#leaseSeconds],
    });
  }

  /**
   * Removes a finished job, or schedules its next run. A row is scheduled again only if its key is the name of its
   * task. Other rows of a scheduled task were enqueued and run once.
   */
  async finish({ key, claim, claimedAt }: ClaimedJob, { name, schedule }: ScheduledJob): Promise<void> {
    await this.#run(
      schedule === undefined || key !== name
        ? { text: 'delete from jobs where key = $1 and claim = $2', values: [key, claim] }
        : {
            text: 'update jobs set run_at = $3, attempts = 0, claim = null where key = $1 and claim = $2',
            values: [key, claim, nextTime(schedule, claimedAt)],
          },
    );
  }

  /** Delays a failed job. A scheduled job is delayed at most until its next regular run. */
  async postpone({ key, claim, claimedAt, attempts }: ClaimedJob, { schedule }: ScheduledJob): Promise<void> {
    await this.#run({
      text: `update jobs set run_at = least(now() + make_interval(secs => $3), $4::timestamptz), claim = null
        where key = $1 and claim = $2`,
      values: [
        key,
        claim,
        2 ** Math.min(attempts, doublingsMax),
        schedule === undefined ? null : nextTime(schedule, claimedAt),
      ],
    });
  }

  /** Returns an unfinished job to the queue immediately, so that another worker can take it. */
  async handBack({ key, claim }: ClaimedJob): Promise<void> {
    await this.#run({
      text: 'update jobs set run_at = now(), attempts = attempts - 1, claim = null where key = $1 and claim = $2',
      values: [key, claim],
    });
  }

  /**
   * Runs one statement on one row per transaction, so that callers that replace or withdraw several jobs at once cannot
   * deadlock with the worker.
   */
  #run<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#database.forWorker((tx) => tx.query<Row>(statement));
  }
}
