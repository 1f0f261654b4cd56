import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { listQueued } from '../harness/queued-jobs.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let test: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  test = await createTestDatabase();
  settings = { STRONGROOM_DATABASE_URL: test.url, STRONGROOM_ROOT_KEY: generateRootKey() };
});
afterEach(() => Program.killAll());
afterAll(() => test.drop());

const run = (...command: string[]) => Program.run(command, settings);
const list = async () => (JSON.parse((await run('jobs', 'list', '--json')).stdout) as { tasks: unknown[] }).tasks;
const doctorSays = async () => {
  const { findings } = JSON.parse((await run('doctor', '--json')).stdout) as { findings: { name: string }[] };
  return findings.find(({ name }) => name === 'jobs');
};

/** Adds a dead letter as pg-boss does when the last retry of a job fails. */
const addDead = (task: string, key: string) =>
  test.owner.query(
    `insert into pgboss.job_common (name, data, singleton_key, source_name, source_id, source_retry_count, source_output, keep_until)
      values ('dead-letters', '{"tenant_id": "a"}', $2, $1, gen_random_uuid(), 100, '{"error": "Error"}', now() + interval '1 year')`,
    [task, key],
  );

describe('an operator', () => {
  it('sees that no job waits or has failed', async () => {
    expect(await run('jobs', 'list')).toMatchObject({
      code: 0,
      stdout: 'No job is waiting or running, and none has failed for good.\n',
    });
    expect(await run('jobs', 'retry')).toMatchObject({ code: 0, stdout: 'There is nothing to retry.\n' });
    expect(await doctorSays()).toEqual({ name: 'jobs', ok: true, detail: 'none has failed for good' });
  });

  it('is told that the login of a server cannot look into the queue, which is no failure', async () => {
    const role = `server_${crypto.randomUUID().replaceAll('-', '')}`;
    await test.owner.query(`create role ${role} login password 'secret';
      grant strongroom_app, strongroom_system, strongroom_portal to ${role}`);
    const url = new URL(test.url);
    [url.username, url.password] = [role, 'secret'];
    const { stdout } = await Program.run(['doctor', '--json'], { ...settings, STRONGROOM_DATABASE_URL: url.href });
    const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
    expect(findings.find(({ name }) => name === 'jobs')).toMatchObject({
      ok: true,
      unknown: true,
      detail: 'this login cannot look into the queue',
    });
    await test.owner.query(`drop role ${role}`);
  });

  it('sees which jobs failed for good, and retries those of one task', async () => {
    await addDead('purge-tenant', 'purge-tenant:1');
    await addDead('mail-invitation', 'mail-invitation:1');
    const { stdout } = await run('jobs', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^TASK +WAITING +RUNNING +OVERDUE +FAILED$/);
    expect(stdout).toContain('strongroom jobs retry');
    const failed = { waiting: 0, running: 0, overdue_seconds: 0, failed: 1 };
    expect(await list()).toEqual([
      { task: 'mail-invitation', ...failed },
      { task: 'purge-tenant', ...failed },
    ]);
    expect(await doctorSays()).toMatchObject({ warning: true, detail: expect.stringContaining('1 of purge-tenant') });

    const { stdout: retried } = await run('jobs', 'retry', '--task', 'purge-tenant', '--json');
    expect(JSON.parse(retried)).toEqual({ retried: 1 });
    expect(await listQueued(test.owner, 'purge-tenant')).toMatchObject([
      { key: 'purge-tenant:1', payload: { tenant_id: 'a' }, state: 'created', attempts: 0 },
    ]);
    expect(await list()).toMatchObject([
      { task: 'mail-invitation', failed: 1 },
      { task: 'purge-tenant', waiting: 1, failed: 0 },
    ]);
  });
});
