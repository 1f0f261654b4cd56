import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import type { Job } from './job.ts';
import { type JobPace, JobRunner, jobPace } from './job-runner.ts';
import { JobStore } from './job-store.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const tenantId = parseTenantId(crypto.randomUUID());
let test: TestDatabase;
let database: Database;
let runners: JobRunner[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
});
beforeEach(() => test.owner.query('delete from jobs'));
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop()));
  runners = [];
});
afterAll(() => test.drop());

async function start(jobs: readonly Job[], pace: Partial<JobPace> = {}, logger: Logger = silent): Promise<JobRunner> {
  const options = { database: test.open(), jobs, logger, metrics: new Metrics() };
  const runner = await JobRunner.start({ ...options, pace: { ...jobPace, pollMs: 20, ...pace } });
  runners.push(runner);
  return runner;
}

/** Enqueues a job inside a transaction of a tenant, like the application does. */
async function enqueue(key: string, payload: object = {}, { andFail = false } = {}): Promise<void> {
  const [task = ''] = key.split(':');
  await database.forTenant(tenantId, async (tx) => {
    await tx.query({ text: 'select enqueue_job($1, $2, $3, 0)', values: [task, JSON.stringify(payload), key] });
    if (andFail) throw new Error('rolled back');
  });
}

interface Row {
  readonly payload: unknown;
  readonly attempts: number;
  readonly isClaimed: boolean;
  readonly isDue: boolean;
  readonly runAt: Date;
}
async function find(key: string): Promise<Row | undefined> {
  const { rows } = await test.owner.query<Row>(
    `select payload, attempts, claim is not null as "isClaimed", run_at <= now() as "isDue", run_at as "runAt"
      from jobs where key = $1`,
    [key],
  );
  return rows[0];
}
const until = (waitingFor: string, isTrue: () => Promise<boolean> | boolean) => untilTrue(isTrue, { waitingFor });
const untilGone = (key: string) => until(`the end of ${key}`, async () => (await find(key)) === undefined);
const makeDue = (key: string) => test.owner.query('update jobs set run_at = now() where key = $1', [key]);

/** Returns a job whose runs wait until the test tells them how to end. */
function heldJob(name: string) {
  const runs: { readonly payload: unknown; readonly end: (error?: Error) => void }[] = [];
  const job: Job = {
    name,
    run: (payload) =>
      new Promise((resolve, reject) => {
        runs.push({ payload, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
  };
  const untilRuns = (count: number) => until(`run ${count}`, () => runs.length >= count);
  return { job, runs, untilRuns };
}

describe('enqueueing', () => {
  it('is part of the transaction that needs it', async () => {
    await expect(enqueue('work:1', {}, { andFail: true })).rejects.toThrow('rolled back');
    expect(await find('work:1')).toBeUndefined();
    await enqueue('work:1', { a: 1 });
    expect(await find('work:1')).toMatchObject({ payload: { a: 1 }, attempts: 0, isClaimed: false, isDue: true });
  });

  it('is all that the roles of the application can do with the queue', async () => {
    await enqueue('work:1');
    const look = (tx: Transaction) => tx.query({ text: 'select from jobs' });
    const looks = [
      () => database.forTenant(tenantId, look),
      () => database.forSystem(look),
      () => database.forPortal(look),
      () => database.forSealer(look),
    ];
    for (const lookAs of looks) await expect(lookAs()).rejects.toThrow('SQLSTATE 42501');
    for (const table of ['tokens', 'tenant_keys', 'system_keys', 'invitations', 'audit_records']) {
      const refused = database.forWorker((tx) => tx.query({ text: `select from ${table}` }));
      await expect(refused).rejects.toThrow('SQLSTATE 42501');
    }
  });

  it('cannot replace a job of another task, or one that runs by itself', async () => {
    for (const key of ['sweep', 'other:1', '']) {
      const values = ['sweep', '{}', key];
      const refused = database.forTenant(tenantId, (tx) =>
        tx.query({ text: 'select enqueue_job($1, $2, $3, 0)', values }),
      );
      await expect(refused).rejects.toThrow('SQLSTATE P0001');
    }
  });
});

describe('a job', () => {
  it('is done once, however many workers there are', async () => {
    const done: unknown[] = [];
    const job: Job = { name: 'work', run: async (payload) => void done.push((payload as { n: number }).n) };
    await Promise.all([start([job]), start([job]), start([job])]);
    await Promise.all(Array.from({ length: 60 }, (_, n) => enqueue(`work:${n}`, { n })));
    await until('an empty queue', async () => (await test.owner.query('select from jobs')).rowCount === 0);
    expect(done.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('waits for a worker that knows its task, and keeps no other waiting', async () => {
    const { job, runs, untilRuns } = heldJob('known');
    await enqueue('unknown:1');
    await enqueue('known:1');
    await start([job]);
    await untilRuns(1);
    runs[0]?.end();
    await untilGone('known:1');
    expect(await find('unknown:1')).toMatchObject({ attempts: 0, isClaimed: false });
  });

  it('that fails is tried again, and not counted as done', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await enqueue('work:1', { a: 1 });
    await start([job]);
    await untilRuns(1);
    runs[0]?.end(new Error('not now'));
    await untilRuns(2);
    expect(runs[1]?.payload).toEqual({ a: 1 });
    runs[1]?.end();
    await untilGone('work:1');
  });

  it('that hangs is told to end, logged and retried, and gives its place to others', async () => {
    const signals: AbortSignal[] = [];
    const hanging: Job = {
      name: 'hang',
      run: (_payload, signal) => {
        if (signal !== undefined) signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    let done = 0;
    const quick: Job = { name: 'quick', limitMs: 60_000, run: async () => void (done += 1) };
    const errors: unknown[] = [];
    const logger = { ...silent, error: (...line: unknown[]) => void errors.push(line) };
    for (let number = 1; number <= 4; number += 1) await enqueue(`hang:${number}`);
    await enqueue('quick:1');
    const runner = await start([hanging, quick], { limitMs: 50, patienceMs: 0 }, logger);
    await until('the job behind those that hang', () => done === 1);
    await until('a retry', () => signals.length > 4);
    await runner.stop();
    expect(signals.slice(0, 4).every(({ aborted }) => aborted)).toBe(true);
    expect(errors[0]).toEqual([
      'job failed',
      { job: 'hang', error: 'JobOverrunError', duration_ms: expect.any(Number) },
    ]);
    expect(await find('quick:1')).toBeUndefined();
    expect(await find('hang:1')).toBeDefined();
  });

  it('waits twice as long after each failure, and at most 68 minutes', async () => {
    const { job } = heldJob('work');
    const store = new JobStore(database, 60);
    await enqueue('work:1');
    const clock = async () =>
      (await test.owner.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now.getTime() ?? 0;
    for (const pauseSeconds of [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 4_096, 4_096]) {
      await makeDue('work:1');
      const claimed = await store.claim(['work']);
      if (claimed === undefined) throw new Error('Nothing was claimed.');
      const before = await clock();
      await store.postpone(claimed, job);
      const runAt = (await find('work:1'))?.runAt.getTime() ?? 0;
      expect(runAt).toBeGreaterThanOrEqual(before + pauseSeconds * 1_000);
      expect(runAt).toBeLessThanOrEqual((await clock()) + pauseSeconds * 1_000);
    }
  });

  it('that is replaced while it runs, runs again as replaced, whatever becomes of the first', async () => {
    const { job } = heldJob('work');
    const store = new JobStore(database, 60);
    const claim = async () => {
      const claimed = await store.claim(['work']);
      if (claimed === undefined) throw new Error('Nothing was claimed.');
      return claimed;
    };
    for (const end of ['finish', 'postpone'] as const) {
      await enqueue('work:1', { revision: 1 });
      const first = await claim();
      await enqueue('work:1', { revision: 2 });
      const second = await claim();
      expect(second.payload).toEqual({ revision: 2 });
      for (const late of [store[end](first, job), store.renew(first), store.handBack(first)]) await late;
      expect(await find('work:1')).toMatchObject({ payload: { revision: 2 }, attempts: 1, isClaimed: true });
      await store.finish(second, job);
      expect(await find('work:1')).toBeUndefined();
    }
  });

  it('that is withdrawn while it runs does not come back when it fails', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await start([job]);
    await enqueue('work:1');
    await untilRuns(1);
    await test.owner.query(`delete from jobs where key = 'work:1'`);
    runs[0]?.end(new Error('failed'));
    await runner.stop();
    expect(await find('work:1')).toBeUndefined();
  });
});

describe('a job that runs by itself', () => {
  const hourly = { everyMinutes: 60, atMinute: 17 };

  it('runs once at each of its times among several workers', async () => {
    let runs = 0;
    const job: Job = { name: 'sweep', schedule: hourly, run: async () => void (runs += 1) };
    await Promise.all([start([job]), start([job]), start([job])]);
    expect((await test.owner.query('select from jobs')).rowCount).toBe(1);
    expect(runs).toBe(0);
    for (let round = 1; round <= 10; round += 1) {
      await makeDue('sweep');
      await until('its next time', async () => {
        const row = await find('sweep');
        return row?.isDue === false && !row.isClaimed;
      });
      expect(runs).toBe(round);
    }
    const row = await find('sweep');
    expect(row?.runAt.toISOString()).toMatch(/:17:00\.000Z$/);
    expect(row?.attempts).toBe(0);
  });

  it('runs once for all the times it has missed', async () => {
    let runs = 0;
    const job: Job = { name: 'sweep', schedule: hourly, run: async () => void (runs += 1) };
    await test.owner.query(
      `insert into jobs (key, task, run_at) values ('sweep', 'sweep', now() - interval '30 hours')`,
    );
    await start([job]);
    await until('its run', async () => {
      const row = await find('sweep');
      return row?.isDue === false && !row.isClaimed;
    });
    expect(runs).toBe(1);
  });

  it('comes again under its own name only, however it was enqueued', async () => {
    const store = new JobStore(database, 60);
    const job: Job = { name: 'sweep', schedule: hourly, run: async () => undefined };
    await enqueue('sweep:1');
    const claimed = await store.claim(['sweep']);
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    await store.finish(claimed, job);
    expect(await find('sweep:1')).toBeUndefined();
  });

  it('is brought forward by a version that runs it more often', async () => {
    const { job } = heldJob('sweep');
    // This is always three days from now, so that the daily schedule below comes first.
    const [everyMinutes, minuteNow] = [7 * 24 * 60, Math.floor(Date.now() / 60_000)];
    await start([{ ...job, schedule: { everyMinutes, atMinute: (minuteNow + 3 * 24 * 60) % everyMinutes } }]);
    const before = await find('sweep');
    await start([{ ...job, schedule: { everyMinutes: 24 * 60, atMinute: 3 * 60 + 17 } }]);
    expect((await find('sweep'))?.runAt.getTime()).toBeLessThan(before?.runAt.getTime() ?? 0);
    expect((await test.owner.query('select from jobs')).rowCount).toBe(1);
  });

  it('that fails waits no longer than until its next time', async () => {
    const store = new JobStore(database, 60);
    const job: Job = { name: 'sweep', schedule: { everyMinutes: 1, atMinute: 0 }, run: async () => undefined };
    await store.plant([job]);
    await test.owner.query(`update jobs set attempts = 20, run_at = now()`);
    const claimed = await store.claim(['sweep']);
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    await store.postpone(claimed, job);
    const runAt = (await find('sweep'))?.runAt ?? new Date(0);
    expect(runAt.getTime()).toBeGreaterThan(claimed.claimedAt.getTime());
    expect(runAt.getTime() - claimed.claimedAt.getTime()).toBeLessThanOrEqual(60_000);
    expect(runAt.getTime() % 60_000).toBe(0);
  });
});

describe('a worker that stops', () => {
  it('lets the jobs under way finish, and takes no more', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await start([job]);
    await Promise.all([1, 2, 3, 4].map((n) => enqueue(`work:${n}`)));
    await untilRuns(4);
    // There is no slot for a fifth job, and no job is taken after the worker stops.
    await enqueue('work:5');
    const stopping = runner.stop();
    for (const { end } of runs) end();
    await stopping;
    expect(runs).toHaveLength(4);
    const { rows } = await test.owner.query('select key, attempts from jobs');
    expect(rows).toEqual([{ key: 'work:5', attempts: 0 }]);
  });

  it('hands back what does not finish: another worker has it at once', async () => {
    const slow = heldJob('work');
    const runner = await start([slow.job], { patienceMs: 50, leaseMs: 3_600_000 });
    await enqueue('work:1', { a: 1 });
    await slow.untilRuns(1);
    await runner.stop();
    expect(await find('work:1')).toMatchObject({ attempts: 0, isClaimed: false, isDue: true });

    const { job, runs, untilRuns } = heldJob('work');
    await start([job]);
    await untilRuns(1);
    // The outcome in the first worker is no longer recorded.
    slow.runs[0]?.end();
    expect(await find('work:1')).toMatchObject({ isClaimed: true });
    runs[0]?.end();
    await untilGone('work:1');
  });
});

describe('a worker that dies', () => {
  const holder = fileURLToPath(new URL('../../../test/harness/job-holder.ts', import.meta.url));

  it('by kill -9 in the middle of a job loses nothing: another worker does it when the lease is over', async () => {
    await enqueue('work:1', { a: 1 });
    const process = spawn(globalThis.process.execPath, [holder, test.url, 'work', '5000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void process.kill('SIGKILL'));
    await once(process.stdout, 'data');
    const { job, runs, untilRuns } = heldJob('work');
    await start([job]);
    // This waits for longer than the lease, and for longer than another worker takes to poll. While its worker is
    // alive, no other worker gets the job.
    const claimedUntil = (await find('work:1'))?.runAt;
    await until('the end of the first lease', async () => {
      const { rows } = await test.owner.query<{ isOver: boolean }>(
        `select now() > $1::timestamptz + interval '1 second' as "isOver"`,
        [claimedUntil],
      );
      return rows[0]?.isOver === true;
    });
    expect([runs.length, (await find('work:1'))?.attempts]).toEqual([0, 1]);

    process.kill('SIGKILL');
    await once(process, 'exit');
    await untilRuns(1);
    expect(runs[0]?.payload).toEqual({ a: 1 });
    expect(await find('work:1')).toMatchObject({ attempts: 2 });
    runs[0]?.end();
    await untilGone('work:1');
  });
});

describe('a database that goes away', () => {
  it('does not end the worker, which goes on when it is back', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await start([job]);
    await enqueue('work:1');
    await untilRuns(1);
    await test.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'strongroom test'`,
    );
    await until('the next job', () =>
      enqueue('work:2').then(
        () => true,
        () => false,
      ),
    );
    await untilRuns(2);
    for (const { end } of runs) end();
    await Promise.all([untilGone('work:1'), untilGone('work:2')]);
  });
});
