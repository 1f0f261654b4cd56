import type { Database, Statement } from '../database/database.ts';
import type { ScheduledJob } from './job.ts';
import { nextTime } from './schedule.ts';

/** The pause after the first failure is two seconds, after the twelfth and each further one 68 minutes. */
const doublingsMax = 12;

/** A job that this process has taken from the queue. */
export interface ClaimedJob {
  readonly key: string;
  readonly task: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly claim: string;
  /** In the time of the database, as everything here: workers' clocks need not agree. */
  readonly claimedAt: Date;
}

/** How long the job of a task that is due has been waiting, the oldest where there are several. */
export interface JobLag {
  readonly task: string;
  readonly seconds: number;
}

/** The queue. Every statement about a claimed job names its claim: it does nothing once the job is somebody else's. */
export class JobStore {
  readonly #database: Database;
  readonly #leaseSeconds: number;

  constructor(database: Database, leaseSeconds: number) {
    this.#database = database;
    this.#leaseSeconds = leaseSeconds;
  }

  /** Puts jobs that run by themselves into the queue, and brings them forward if they have come to run more often. */
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

  /** Takes the job that has been due for longest, if it is one of these. Others that are being taken are passed over. */
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

  /** Of tasks that have something due. A job that is being done is not due, unless its worker has died. */
  listLags(): Promise<JobLag[]> {
    return this.#run<JobLag>({
      name: 'list-job-lags',
      text: `select task, extract(epoch from now() - min(run_at))::float8 as seconds
        from jobs where run_at <= now() group by task`,
    });
  }

  /** Says that the job is still being done. */
  async renew({ key, claim }: ClaimedJob): Promise<void> {
    await this.#run({
      text: 'update jobs set run_at = now() + make_interval(secs => $3) where key = $1 and claim = $2',
      values: [key, claim, this.#leaseSeconds],
    });
  }

  /** Only the row that has the name of its task comes again: one that was enqueued for such a task is done once. */
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

  /** Lets a job that has failed wait, and one that runs by itself at most until it would have run anyway. */
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

  /** Leaves a job that was not finished to another worker, at once. */
  async handBack({ key, claim }: ClaimedJob): Promise<void> {
    await this.#run({
      text: 'update jobs set run_at = now(), attempts = attempts - 1, claim = null where key = $1 and claim = $2',
      values: [key, claim],
    });
  }

  /** One row a statement and a transaction: anyone who replaces or withdraws several at once can then not deadlock with us. */
  #run<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#database.forWorker((tx) => tx.query<Row>(statement));
  }
}
