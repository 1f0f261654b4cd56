import { parseTenantId } from '../../src/core/identity/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { type JobPace, JobRunner, jobPace } from '../../src/platform/jobs/job-runner.ts';
import type { Logger } from '../../src/platform/telemetry/logger.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';
import { untilTrue } from './deadline.ts';
import { listQueued, type QueuedJob } from './queued-jobs.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A database with a few empty queues, and the workers that a test starts on it. */
export class TestQueue {
  readonly test: TestDatabase;
  readonly database: Database;
  readonly tenantId = parseTenantId(crypto.randomUUID());
  #runners: JobRunner[] = [];

  private constructor(test: TestDatabase) {
    this.test = test;
    this.database = test.open();
  }

  static async create(): Promise<TestQueue> {
    return new TestQueue(await createTestDatabase());
  }

  async drop(): Promise<void> {
    await this.test.drop();
  }

  /** Removes all jobs and schedules, and creates the queues that tests use. */
  async reset(): Promise<void> {
    await this.test.owner.query(`delete from pgboss.job; delete from pgboss.schedule;
      delete from pgboss.queue where name not in ('mail-invitation', 'purge-tenant', 'dead-letters')`);
    for (const task of ['work', 'hang', 'quick', 'known', 'unknown']) await this.#createQueue(task);
  }

  /** Creates the queue of a task like the migration does for the tasks of the vault. */
  async #createQueue(task: string): Promise<void> {
    const retries = {
      deadLetter: 'dead-letters',
      retryLimit: 100,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 4_096,
    };
    const options = { policy: 'exclusive', notify: true, ...retries, heartbeatSeconds: 10 };
    await this.test.owner.query('select pgboss.create_queue($1, $2)', [task, JSON.stringify(options)]);
  }

  async start(jobs: readonly Job[], pace: Partial<JobPace> = {}, logger: Logger = silentLogger): Promise<JobRunner> {
    const { test } = this;
    const options = { database: test.open(), address: { url: test.url }, jobs, logger, metrics: new Metrics() };
    const runner = await JobRunner.start({
      ...options,
      pace: { ...jobPace, pollSeconds: 0.5, watchSeconds: 1, ...pace },
    });
    this.#runners.push(runner);
    return runner;
  }

  async stopAll(): Promise<void> {
    const runners = this.#runners;
    this.#runners = [];
    await Promise.all(runners.map((runner) => runner.stop()));
  }

  /** Enqueues a job inside a transaction of a tenant, like the application does. */
  async enqueue(key: string, payload: object = {}, { andFail = false } = {}): Promise<void> {
    const [task = ''] = key.split(':');
    await this.database.forTenant(this.tenantId, async (tx) => {
      await tx.query({
        text: 'select enqueue_job($1, $2, $3, 0)',
        values: [task, JSON.stringify({ tenant_id: this.tenantId, ...payload }), key],
      });
      if (andFail) throw new Error('rolled back');
    });
  }

  async find(key: string): Promise<QueuedJob | undefined> {
    return (await listQueued(this.test.owner, key.split(':')[0] ?? '')).find((job) => job.key === key);
  }

  async untilGone(key: string): Promise<void> {
    await untilTrue(async () => (await this.find(key)) === undefined, { waitingFor: `the end of ${key}` });
  }

  async untilEmpty(task: string): Promise<void> {
    await untilTrue(async () => (await listQueued(this.test.owner, task)).length === 0, {
      waitingFor: `an empty queue of ${task}`,
    });
  }
}

/** Returns a job whose runs wait until the test tells them how to end. */
export function heldJob(name: string) {
  const runs: { readonly payload: unknown; readonly end: (error?: Error) => void }[] = [];
  const job: Job = {
    name,
    run: (payload) =>
      new Promise((resolve, reject) => {
        runs.push({ payload, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
  };
  const untilRuns = (count: number) => untilTrue(() => runs.length >= count, { waitingFor: `run ${count}` });
  return { job, runs, untilRuns };
}
