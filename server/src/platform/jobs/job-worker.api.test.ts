import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { listQueued } from '../../../test/harness/queued-jobs.ts';
import { heldJob, silentLogger, TestQueue } from '../../../test/harness/test-queue.ts';
import { readFailure } from './job-database.ts';

const until = (waitingFor: string, isTrue: () => Promise<boolean> | boolean) => untilTrue(isTrue, { waitingFor });
let queue: TestQueue;
beforeAll(async () => {
  queue = await TestQueue.create();
});
beforeEach(() => queue.reset());
afterEach(() => queue.stopAll());
afterAll(() => queue.drop());

describe('a worker that stops', () => {
  it('lets the jobs under way finish, and takes no more', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await queue.start([job]);
    await Promise.all(Array.from({ length: 20 }, (_, number) => queue.enqueue(`work:${number}`)));
    await untilRuns(1);
    const stopping = runner.stop();
    await queue.enqueue('work:late');
    for (let ended = 0; (await listQueued(queue.test.owner, 'work')).some(({ state }) => state === 'active'); ) {
      for (; ended < runs.length; ended += 1) runs[ended]?.end();
    }
    await stopping;
    expect(await queue.find('work:late')).toMatchObject({ attempts: 0, state: 'created' });
  });

  it('has not stopped while a job is under way', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    const runner = await queue.start([job]);
    await queue.enqueue('work:1');
    await untilRuns(1);
    let isStopped = false;
    const stopping = runner.stop().then(() => (isStopped = true));
    // Another worker starts and stops in the meantime, which takes longer than a stop that waits for nothing.
    await (await queue.start([heldJob('quick').job])).stop();
    expect(isStopped).toBe(false);
    runs[0]?.end();
    await stopping;
    expect(await queue.find('work:1')).toBeUndefined();
  });

  it('gives back what does not finish, and can no longer record anything about it', async () => {
    const slow = heldJob('work');
    const runner = await queue.start([slow.job], { patienceMs: 1_000, heartbeatSeconds: 3_600 });
    await queue.enqueue('work:1', { a: 1 });
    await slow.untilRuns(1);
    await runner.stop();
    expect(await queue.find('work:1')).toMatchObject({ attempts: 1, state: 'retry' });

    const { job, runs, untilRuns } = heldJob('work');
    await queue.start([job]);
    await untilRuns(1);
    slow.runs[0]?.end();
    expect(await queue.find('work:1')).toMatchObject({ state: 'active', attempts: 2 });
    runs[0]?.end();
    await queue.untilGone('work:1');
  });
});

describe('a worker that cannot start', () => {
  it('leaves nothing running', async () => {
    const noisy: unknown[] = [];
    const logger = { ...silentLogger, error: (...line: unknown[]) => void noisy.push(line) };
    const jobs = ['first', 'second'].map((name) => ({
      ...heldJob(name).job,
      schedule: { everyMinutes: 7, atMinute: 0 },
    }));
    await expect(queue.start(jobs, {}, logger)).rejects.toThrow(RangeError);
    const connections = await queue.test.owner.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'strongroom jobs'`,
    );
    expect([connections.rowCount, noisy]).toEqual([0, []]);
  });
});

describe('a worker that dies', () => {
  const holder = fileURLToPath(new URL('../../../test/harness/job-holder.ts', import.meta.url));

  it('by kill -9 in the middle of a job loses nothing: another worker runs it when the heartbeat is missing', async () => {
    await queue.enqueue('work:1', { a: 1 });
    const process = spawn(globalThis.process.execPath, [holder, queue.test.url, 'work'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void process.kill('SIGKILL'));
    await once(process.stdout, 'data');
    const { job, runs, untilRuns } = heldJob('work');
    await queue.start([job], { heartbeatSeconds: 10 });
    process.kill('SIGKILL');
    await once(process, 'exit');
    await untilRuns(1);
    expect(runs[0]?.payload).toMatchObject({ a: 1 });
    expect(await queue.find('work:1')).toMatchObject({ attempts: 2 });
    runs[0]?.end();
    await queue.untilGone('work:1');
  });
});

describe('a database that goes away', () => {
  it('is not logged for each queue, and other errors are logged with their reason', async () => {
    const lines: unknown[] = [];
    const logger = { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) };
    await queue.start([heldJob('work').job], {}, logger);
    await queue.test.owner.query('revoke update on pgboss.job_common from strongroom_worker');
    try {
      await until('an error', () => lines.length > 0);
    } finally {
      await queue.test.owner.query('grant update on pgboss.job_common to strongroom_worker');
    }
    expect(lines[0]).toEqual(['job queue unavailable', { error: expect.stringContaining('42501') }]);
    const failure = Object.assign(new Error('lost'), { jobFailure: { isOutage: true, reason: 'lost' } });
    expect(readFailure({ ...failure, queue: 'work' })).toEqual({ isOutage: true, reason: 'lost' });
    expect(readFailure(new TypeError('x'))).toEqual({ isOutage: false, reason: 'TypeError' });
  });

  it('does not end the worker, which goes on when it is back', async () => {
    const { job, runs, untilRuns } = heldJob('work');
    await queue.start([job]);
    await queue.enqueue('work:1');
    await untilRuns(1);
    await queue.test.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'strongroom test'`,
    );
    await until('the next job', () =>
      queue.enqueue('work:2').then(
        () => true,
        () => false,
      ),
    );
    await untilRuns(2);
    for (const { end } of runs) end();
    await Promise.all([queue.untilGone('work:1'), queue.untilGone('work:2')]);
  });
});
