import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/platform/database/migrations/migration-files.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
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
  await migrate(test.url);
});
afterEach(() => test.drop());

const tenant = '3f0b6e0a-6b0e-4a55-9d3e-0d9a2a4d6c01';
const runningTenant = '5c1d7c3e-90a1-4f3b-8e0a-2b7d9c5e4f03';
const [invited, resent] = ['7a0d2b54-55b6-4a0b-8f55-1c8d4f0e9a02', '9b1e3c65-66c7-4b1c-9a66-2d9e5a1f0b04'];

describe('the queue of the version before', () => {
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
