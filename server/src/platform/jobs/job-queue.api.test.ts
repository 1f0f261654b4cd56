import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { listQueued, makeDue, queueNow } from '../../../test/harness/queued-jobs.ts';
import { heldJob, silentLogger, TestQueue } from '../../../test/harness/test-queue.ts';
import type { Transaction } from '../database/database.ts';
import { type Job, toCron } from './job.ts';
import { JobDatabase } from './job-database.ts';
import { listTasks, retryDeadLetters } from './queue-status.ts';

const until = (waitingFor: string, isTrue: () => Promise<boolean> | boolean) => untilTrue(isTrue, { waitingFor });
let queue: TestQueue;
beforeAll(async () => {
  queue = await TestQueue.create();
});
beforeEach(() => queue.reset());
afterEach(() => queue.stopAll());
afterAll(() => queue.drop());

describe('enqueueing', () => {
  it('is part of the transaction that needs it', async () => {
    await expect(queue.enqueue('work:1', {}, { andFail: true })).rejects.toThrow('rolled back');
    expect(await queue.find('work:1')).toBeUndefined();
    await queue.enqueue('work:1', { a: 1 });
    expect(await queue.find('work:1')).toMatchObject({ payload: { a: 1 }, attempts: 0, state: 'created' });
  });

  it('is all that the roles of the application can do with the queue', async () => {
    await queue.enqueue('work:1');
    const look = (tx: Transaction) => tx.query({ text: 'select from pgboss.job' });
    const looks = [
      () => queue.database.forTenant(queue.tenantId, look),
      () => queue.database.forSystem(look),
      () => queue.database.forPortal(look),
      () => queue.database.forSealer(look),
    ];
    for (const lookAs of looks) await expect(lookAs()).rejects.toThrow('SQLSTATE 42501');
    for (const table of ['tokens', 'tenant_keys', 'system_keys', 'invitations', 'audit_records']) {
      const refused = queue.database.forWorker((tx) => tx.query({ text: `select from ${table}` }));
      await expect(refused).rejects.toThrow('SQLSTATE 42501');
    }
  });

  it('cannot replace a job of another task, or one that runs by itself', async () => {
    // Nothing but the key is wrong: the queue exists, and the payload is that of the tenant.
    for (const key of ['work', 'quick:1', '']) {
      const values = ['work', JSON.stringify({ tenant_id: queue.tenantId }), key];
      const refused = queue.database.forTenant(queue.tenantId, (tx) =>
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
    await Promise.all([queue.start([job]), queue.start([job]), queue.start([job])]);
    await Promise.all(Array.from({ length: 60 }, (_, n) => queue.enqueue(`work:${n}`, { n })));
    await queue.untilEmpty('work');
    expect(done.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('waits for a worker that knows its task, and keeps no other waiting', async () => {
    const { job, runs, untilRuns } = heldJob('known');
    await queue.enqueue('unknown:1');
    await queue.enqueue('known:1');
    await queue.start([job]);
    await untilRuns(1);
    runs[0]?.end();
    await queue.untilGone('known:1');
    expect(await queue.find('unknown:1')).toMatchObject({ attempts: 0, state: 'created' });
  });

  it('that fails is tried again, and not counted as done', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await queue.enqueue('work:1', { a: 1 });
    await queue.start([job]);
    await untilRuns(1);
    runs[0]?.end(new Error('not now'));
    await untilRuns(2);
    expect(runs[1]?.payload).toMatchObject({ a: 1 });
    runs[1]?.end();
    await queue.untilGone('work:1');
  });

  it('that hangs is told to end, logged and retried, and gives its place to others', async () => {
    const signals: AbortSignal[] = [];
    const hanging: Job = {
      name: 'hang',
      limitMs: 50,
      run: (_payload, signal) => {
        if (signal !== undefined) signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    let done = 0;
    const quick: Job = { name: 'quick', run: async () => void (done += 1) };
    const errors: unknown[] = [];
    const logger = { ...silentLogger, error: (...line: unknown[]) => void errors.push(line) };
    for (let number = 1; number <= 40; number += 1) await queue.enqueue(`hang:${number}`);
    await queue.enqueue('quick:1');
    const runner = await queue.start([hanging, quick], { patienceMs: 1_000 }, logger);
    await until('the job behind those that hang', () => done === 1);
    await until('a retry', () => signals.length > 40);
    await runner.stop();
    expect(signals.slice(0, 40).every(({ aborted }) => aborted)).toBe(true);
    expect(errors[0]).toEqual([
      'job failed',
      { job: 'hang', error: 'JobOverrunError', duration_ms: expect.any(Number) },
    ]);
    expect(await queue.find('quick:1')).toBeUndefined();
    expect(await queue.find('hang:1')).toBeDefined();
  });

  it('waits longer after each failure, and at most 68 minutes', async () => {
    const failing: Job = { name: 'work', run: () => Promise.reject(new Error('not now')) };
    await queue.enqueue('work:1');
    await queue.start([failing]);
    for (const [earlier, mostSeconds] of [
      [0, 4],
      [3, 32],
      [40, 4_096],
    ] as const) {
      await until('the first failure', async () => (await queue.find('work:1'))?.state === 'retry');
      await queue.test.owner.query(
        `update pgboss.job_common set retry_count = $1, start_after = now() where name = 'work' and state = 'retry'`,
        [earlier],
      );
      await until('the next failure', async () => {
        const job = await queue.find('work:1');
        return job?.state === 'retry' && job.attempts === earlier + 2;
      });
      const { rows } = await queue.test.owner.query<{ seconds: number }>(
        `select extract(epoch from start_after - started_on)::float8 as seconds from pgboss.job_common where name = 'work'`,
      );
      expect(rows[0]?.seconds).toBeLessThanOrEqual(mostSeconds + 2);
      expect(rows[0]?.seconds).toBeGreaterThan(mostSeconds / 5);
    }
  });

  it('that fails at every attempt becomes a dead letter with its payload and reason, which can be retried', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await queue.enqueue('work:1', { a: 1 });
    await queue.start([job]);
    await untilRuns(1);
    await queue.test.owner.query(`update pgboss.job_common set retry_limit = 0 where name = 'work'`);
    runs[0]?.end(new Error('a card number: 4242424242424242'));
    const dead = async () =>
      (
        await queue.test.owner.query(
          `select id, data, source_name as task, source_output as reason from pgboss.job_common where name = 'dead-letters'`,
        )
      ).rows;
    await until('the dead letter', async () => (await dead()).length === 1);
    expect(await dead()).toEqual([
      { id: expect.any(String), data: { tenant_id: queue.tenantId, a: 1 }, task: 'work', reason: { error: 'Error' } },
    ]);
    expect(await listTasks(queue.database)).toEqual([{ task: 'work', waiting: 0, running: 0, lagSeconds: 0, dead: 1 }]);
    expect(await queue.find('work:1')).toBeUndefined();

    const jobs = new JobDatabase(queue.database, { url: queue.test.url });
    expect(await retryDeadLetters(jobs, 'other')).toBe(0);
    expect(await retryDeadLetters(jobs, 'work')).toBe(1);
    await untilRuns(2);
    expect(runs[1]?.payload).toMatchObject({ a: 1 });
    runs[1]?.end();
    await queue.untilGone('work:1');
    expect(await listTasks(queue.database)).toEqual([]);
  });

  it('that became a dead letter is replaced by a newer one, so that a retry never runs the older', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await queue.start([job]);
    await queue.enqueue('work:1', { revision: 1 });
    await untilRuns(1);
    await queue.test.owner.query(`update pgboss.job_common set retry_limit = 0 where name = 'work'`);
    runs[0]?.end(new Error('failed'));
    await until('the dead letter', async () => (await listTasks(queue.database))[0]?.dead === 1);
    await runner.stop();
    await queue.enqueue('work:1', { revision: 2 });
    // Nothing of the older one is left that could be retried when the newer one is done.
    expect(await listTasks(queue.database)).toMatchObject([{ task: 'work', waiting: 1, dead: 0 }]);
    expect(await retryDeadLetters(new JobDatabase(queue.database, { url: queue.test.url }))).toBe(0);
    expect(await listQueued(queue.test.owner, 'work')).toMatchObject([{ payload: { revision: 2 } }]);
  });

  it('that is replaced while it runs, runs again as replaced, whatever becomes of the first', async () => {
    for (const error of [undefined, new Error('failed')]) {
      const { job, runs, untilRuns } = heldJob('work');
      const runner = await queue.start([job]);
      await queue.enqueue('work:1', { revision: 1 });
      await untilRuns(1);
      await queue.enqueue('work:1', { revision: 2 });
      await untilRuns(2);
      expect(runs.map(({ payload }) => payload)).toMatchObject([{ revision: 1 }, { revision: 2 }]);
      const second = await queue.find('work:1');
      runs[0]?.end(error);
      // The recording of the first run is over when the worker that ran it takes another job.
      await Promise.all([1, 2, 3].map((number) => queue.enqueue(`work:more-${number}`)));
      await untilRuns(5);
      expect(await queue.find('work:1')).toEqual(second);
      for (const { end } of runs.slice(1)) end();
      await queue.untilGone('work:1');
      await runner.stop();
      expect(runs).toHaveLength(5);
    }
  });

  it('that two transactions enqueue at once under one key exists once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, revision) => queue.enqueue('work:1', { revision })));
    expect(await listQueued(queue.test.owner, 'work')).toHaveLength(1);
  });

  it('that is withdrawn while it runs does not come back when it fails', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await queue.start([job]);
    await queue.enqueue('work:1');
    await untilRuns(1);
    await queue.test.owner.query(`delete from pgboss.job_common where singleton_key = 'work:1'`);
    runs[0]?.end(new Error('failed'));
    await runner.stop();
    expect(await queue.find('work:1')).toBeUndefined();
  });

  it('starts as soon as it is committed, without waiting for a poll', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await queue.start([job], { pollSeconds: 3_600 });
    for (let number = 1; number <= 3; number += 1) {
      await queue.enqueue(`work:${number}`);
      await untilRuns(number);
      runs[number - 1]?.end();
      await queue.untilGone(`work:${number}`);
    }
  });
});

describe('a job that runs by itself', () => {
  const hourly = { everyMinutes: 60, atMinute: 17 };
  const scheduled = async () =>
    (await queue.test.owner.query(`select name, cron from pgboss.schedule order by name`)).rows;

  it('runs once among several workers', async () => {
    let runs = 0;
    const job: Job = { name: 'sweep', schedule: hourly, run: async () => void (runs += 1) };
    await Promise.all([queue.start([job]), queue.start([job]), queue.start([job])]);
    expect(await scheduled()).toEqual([{ name: 'sweep', cron: '17-59/60 * * * *' }]);
    expect(runs).toBe(0);
    for (let round = 1; round <= 5; round += 1) {
      await queueNow(queue.test.owner, 'sweep');
      await queue.untilEmpty('sweep');
      expect(runs).toBe(round);
    }
  });

  it('runs once for all the times it has missed', async () => {
    let runs = 0;
    const job: Job = { name: 'sweep', schedule: hourly, run: async () => void (runs += 1) };
    await (await queue.start([job])).stop();
    // No worker has looked at the schedule for thirty hours.
    await queue.test.owner.query(`update pgboss.version set cron_on = now() - interval '30 hours';
      update pgboss.schedule set created_on = now() - interval '40 hours', updated_on = now() - interval '40 hours'`);
    await Promise.all([queue.start([job]), queue.start([job])]);
    await until('its run', () => runs > 0);
    await queue.untilEmpty('sweep');
    expect(runs).toBe(1);
  });

  it('has the schedule of the newest version', async () => {
    const { job } = heldJob('sweep');
    await queue.start([{ ...job, schedule: { everyMinutes: 24 * 60, atMinute: 3 * 60 + 17 } }]);
    expect(await scheduled()).toEqual([{ name: 'sweep', cron: '17 3 * * *' }]);
    await queue.start([{ ...job, schedule: { everyMinutes: 15, atMinute: 22 } }]);
    expect(await scheduled()).toEqual([{ name: 'sweep', cron: '7-59/15 * * * *' }]);
  });

  it('runs at its next time, however often it failed', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs <= 4) throw new Error('not now');
    };
    await queue.start([{ name: 'sweep', schedule: { everyMinutes: 1, atMinute: 0 }, run }]);
    await queueNow(queue.test.owner, 'sweep');
    await until('the last attempt', async () => {
      await makeDue(queue.test.owner, 'sweep');
      return (await listQueued(queue.test.owner, 'sweep')).length === 0;
    });
    expect((await queue.test.owner.query(`select from pgboss.job where name = 'dead-letters'`)).rowCount).toBe(0);
    await queueNow(queue.test.owner, 'sweep');
    await until('the next time', async () => runs === 5 && (await listQueued(queue.test.owner, 'sweep')).length === 0);
  });

  it('cannot be enqueued by the application', async () => {
    await queue.start([{ ...heldJob('sweep').job, schedule: hourly }]);
    await expect(queue.enqueue('sweep:1')).rejects.toThrow('SQLSTATE P0001');
  });

  it('has an interval that cron can express', () => {
    expect(toCron({ everyMinutes: 1, atMinute: 0 })).toBe('0-59/1 * * * *');
    expect(() => toCron({ everyMinutes: 7, atMinute: 0 })).toThrow(RangeError);
  });
});
