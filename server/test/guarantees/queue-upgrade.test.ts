import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/platform/database/migrations/migration-files.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { listQueued } from '../harness/queued-jobs.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * Until migration 26, jobs waited in the tables of graphile-worker. Jobs that wait there during the
 * upgrade must not be lost.
 */
let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase('template1');
  await migrate(test.url, (await readMigrations()).slice(0, 22));
  await test.owner.query(await readFile(path.join(import.meta.dirname, 'vectors/queue-0022.sql'), 'utf8'));
  await migrate(test.url, (await readMigrations()).slice(0, 42));
});
afterEach(() => test.drop());

const tenant = '3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01';
const runningTenant = '5c1d7c3e-90a1-4f3b-8e0a-2b7d9c5e4f03';
const [invited, resent] = ['7a0d2b54-55b6-4a0b-8f55-1c8d4f0e9a02', '9b1e3c65-66c7-4b1c-9a66-2d9e5a1f0b04'];

describe('the queue of graphile-worker', () => {
  it('is moved: each job once, with its payload and its time, and as replaced', async () => {
    const { rows } = await test.owner.query(
      `select key, task, payload, attempts, claim, run_at = created_at as "isAtOnce", run_at - created_at = interval '1 hour' as "isLater"
        from jobs order by key`,
    );
    const waiting = { attempts: 0, claim: null };
    expect(rows).toMatchObject([
      {
        ...waiting,
        key: `mail-invitation:${invited}`,
        task: 'mail-invitation',
        payload: { tenant_id: tenant, invitation_id: invited, link_number: 2 },
        isAtOnce: true,
      },
      {
        ...waiting,
        key: `mail-invitation:${resent}`,
        task: 'mail-invitation',
        payload: { tenant_id: tenant, invitation_id: resent, link_number: 2 },
        isAtOnce: true,
      },
      {
        ...waiting,
        key: `purge-tenant:${tenant}`,
        task: 'purge-tenant',
        payload: { tenant_id: tenant },
        isLater: true,
      },
      { ...waiting, key: `purge-tenant:${runningTenant}`, task: 'purge-tenant', payload: { tenant_id: runningTenant } },
    ]);
  });

  it('leaves a job that is being done to its worker for five minutes', async () => {
    const { rows } = await test.owner.query(
      `select run_at - applied_at between interval '299 seconds' and interval '301 seconds' as "isLeft"
        from jobs, schema_migrations where key = $1 and version = 26`,
      [`purge-tenant:${runningTenant}`],
    );
    expect(rows).toEqual([{ isLeft: true }]);
  });

  it('stays for workers of that version, with nothing in it that would be done twice', async () => {
    const { rows } = await test.owner.query('select key, task_id from graphile_worker._private_jobs order by id');
    expect(rows).toEqual([
      { key: null, task_id: 1 },
      { key: null, task_id: 3 },
    ]);
  });
});

/** Until migration 43, jobs waited in a table of our own. */
describe('the queue of version 0.2.0', () => {
  const [mail, purge] = [`mail-invitation:${crypto.randomUUID()}`, `purge-tenant:${crypto.randomUUID()}`];
  const insertOld = (text: string) => test.owner.query(`insert into jobs (key, task, payload, run_at, claim) ${text}`);

  it('is moved: each job once, with its payload and its time', async () => {
    await test.owner.query('delete from jobs');
    await insertOld(`values ('${mail}', 'mail-invitation', '{"link_number": 3}', now() - interval '1 hour', null),
      ('${purge}', 'purge-tenant', '{"tenant_id": "a"}', now() + interval '1 hour', null),
      ('purge-tenant:running', 'purge-tenant', '{"tenant_id": "b"}', now() + interval '1 minute', gen_random_uuid()),
      ('sweep-tokens', 'sweep-tokens', '{}', now(), null)`);
    await migrate(test.url);
    const moved = [
      ...(await listQueued(test.owner, 'mail-invitation')),
      ...(await listQueued(test.owner, 'purge-tenant')),
    ];
    expect(moved).toMatchObject([
      { key: mail, payload: { link_number: 3 }, state: 'created', attempts: 0 },
      { key: purge, payload: { tenant_id: 'a' } },
      { key: 'purge-tenant:running', payload: { tenant_id: 'b' } },
    ]);
    const minutesLeft = moved.map(({ startAfter }) =>
      Math.abs(Math.round((startAfter.getTime() - Date.now()) / 60_000)),
    );
    // A job that is running is left to its worker for five minutes.
    expect(minutesLeft).toEqual([0, 60, 5]);
    // Workers of that version still run the jobs that run by themselves, from the old table.
    expect((await test.owner.query('select key from jobs')).rows).toEqual([{ key: 'sweep-tokens' }]);
  });

  it('receives nothing more, not even from a transaction that began before the migration', async () => {
    await migrate(test.url);
    // This is what the function of version 0.2.0 did, and what it does if it was already running.
    await insertOld(`values ('${mail}', 'mail-invitation', '{"link_number": 1}', now(), null)
      on conflict on constraint jobs_pkey do update set payload = excluded.payload`);
    expect((await test.owner.query('select from jobs where key = $1', [mail])).rowCount).toBe(0);
    expect(await listQueued(test.owner, 'mail-invitation')).toContainEqual(
      expect.objectContaining({ key: mail, payload: { link_number: 1 } }),
    );
  });

  it('is served by servers of both versions, which enqueue through the same function', async () => {
    await migrate(test.url);
    const values = ['purge-tenant', JSON.stringify({ tenant_id: tenant }), purge];
    const database = test.open();
    await database.forTenant(parseTenantId(tenant), (tx) =>
      tx.query({ text: 'select enqueue_job($1, $2, $3, 60)', values }),
    );
    expect(await listQueued(test.owner, 'purge-tenant')).toContainEqual(expect.objectContaining({ key: purge }));
  });
});

describe('the schema of pg-boss', () => {
  it('is the one that the installed version expects', async () => {
    await migrate(test.url);
    const boss = new PgBoss({ connectionString: test.url, schema: 'pgboss', migrate: false });
    await boss.start();
    try {
      expect(await boss.schemaVersion()).toBe(packageJson.pgboss.schema);
      const { ok, ...drift } = await boss.detectSchemaDrift();
      expect({ ok, drift: ok ? undefined : drift }).toEqual({ ok: true, drift: undefined });
    } finally {
      await boss.stop();
    }
  });

  it('cannot be changed by a worker', async () => {
    await migrate(test.url);
    const change = (text: string) => test.open().forWorker((tx) => tx.query({ text }));
    await expect(change('drop table pgboss.job')).rejects.toThrow('SQLSTATE 42501');
    await expect(change('alter table pgboss.job_common disable trigger all')).rejects.toThrow('SQLSTATE 42501');
  });
});
