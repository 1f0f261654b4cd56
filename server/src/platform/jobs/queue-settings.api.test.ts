import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { heldJob, TestQueue } from '../../../test/harness/test-queue.ts';
import { jobPace } from './job-runner.ts';

// A worker writes the settings of its queues when it starts. A job is enqueued with the settings that its queue has then,
// so the tests in which a job is enqueued before its worker starts say nothing about them.

let queue: TestQueue;
beforeAll(async () => {
  queue = await TestQueue.create();
});
afterEach(() => queue.stopAll());
afterAll(() => queue.drop());

const settingsOf = async () => {
  const text = `select name, policy, notify, retry_limit, retry_delay, retry_backoff, retry_delay_max, retention_seconds, dead_letter,
      heartbeat_seconds from pgboss.queue where not starts_with(name, '__pgboss__') order by name`;
  return (await queue.test.owner.query<{ name: string }>(text)).rows;
};

describe('a worker that starts', () => {
  it('leaves jobs that are enqueued later as patient as the migrations made them', async () => {
    const before = await settingsOf();
    const names = before.map(({ name }) => name).filter((name) => name !== 'dead-letters');
    expect(names).toEqual(['deliver-webhook', 'mail-invitation', 'mail-webhook', 'purge-tenant', 'stream-log']);
    const hasGroups = new Set(['deliver-webhook', 'stream-log']);
    const jobs = names.map((name) => ({ ...heldJob(name).job, ...(hasGroups.has(name) ? { slots: 2 } : {}) }));
    await queue.start(jobs, jobPace);
    expect(await settingsOf()).toEqual(before);
  });

  it('has its scheduled jobs retried a few times only, because they run again at their next time', async () => {
    await queue.start([{ ...heldJob('sweep').job, schedule: { everyMinutes: 5, atMinute: 0 } }], jobPace);
    expect((await settingsOf()).find(({ name }) => name === 'sweep')).toEqual({
      name: 'sweep',
      policy: 'exclusive',
      notify: false,
      retry_limit: 3,
      retry_delay: 5,
      retry_backoff: true,
      retry_delay_max: 300,
      retention_seconds: expect.any(Number),
      dead_letter: null,
      heartbeat_seconds: 30,
    });
  });
});

describe('a job of a group whose worker has died', () => {
  it('gives way to another one that waits, and does not count as failed for good', async () => {
    const group = `deliver-webhook:${crypto.randomUUID()}`;
    const insert = `insert into pgboss.job (name, data, state, singleton_key, group_id, policy, dead_letter, retry_limit,
        heartbeat_seconds, heartbeat_on, started_on)
      select name, '{}', $2, $1, $1, policy, dead_letter, retry_limit, heartbeat_seconds, now() - interval '1 hour',
        now() - interval '1 hour' from pgboss.queue where name = 'deliver-webhook'`;
    await queue.test.owner.query(insert, [group, 'active']);
    await queue.test.owner.query(insert, [group, 'retry']);
    const { job, runs, untilRuns } = heldJob('deliver-webhook');
    await queue.start([{ ...job, slots: 2 }], { heartbeatSeconds: 10 });
    await untilRuns(1);
    runs[0]?.end();
    await queue.untilEmpty('deliver-webhook');
    expect(await queue.test.owner.query(`select from pgboss.job where name = 'dead-letters'`)).toMatchObject({
      rowCount: 0,
    });
  });
});

describe('a job that runs for longer than its heartbeat', () => {
  it('stays with its worker, which keeps reporting it', async () => {
    await queue.reset();
    const { job, runs, untilRuns } = heldJob('work');
    await queue.start([job], { heartbeatSeconds: 10 });
    await queue.enqueue('work:1');
    await untilRuns(1);
    const isReported = async () => {
      const text = `select from pgboss.job_common where name = 'work' and heartbeat_on > started_on`;
      return (await queue.test.owner.query(text)).rowCount === 1;
    };
    await untilTrue(isReported, { waitingFor: 'a report' });
    expect(await queue.find('work:1')).toMatchObject({ state: 'active', attempts: 1 });
    runs[0]?.end();
    await queue.untilGone('work:1');
    expect(runs).toHaveLength(1);
  });
});
