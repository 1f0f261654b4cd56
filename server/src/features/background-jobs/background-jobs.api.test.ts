import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../../test/harness/portal-people.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  vault = await TestVault.start();
  [tenant, other] = [await vault.makeTenant(), await vault.makeTenant()];
  for (const id of [tenant.id, tenant.id, other.id]) await enqueue('mail-invitation', { tenant_id: id });
  await vault.database.owner.query(
    `insert into pgboss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds,
        deletion_seconds, partition, table_name)
      values ('sweep-tokens', 'standard', 2, 1, false, 60, 600, 600, false, 'job_common') on conflict do nothing`,
  );
  await add('sweep-tokens', { source: null, payload: null });
  // A job that failed for good is listed elsewhere.
  await add('dead-letters', { source: 'mail-invitation', payload: { tenant_id: tenant.id } });
});
afterAll(() => vault.stop());

function enqueue(task: string, payload: object): Promise<unknown> {
  return vault.database.owner.query('select enqueue_job($1, $2, $3, 3600)', [
    task,
    JSON.stringify(payload),
    `${task}:${crypto.randomUUID()}`,
  ]);
}

/** Adds a job that has no queue of ours, as pg-boss does. */
function add(queue: string, job: { source: string | null; payload: object | null }): Promise<unknown> {
  return vault.database.owner.query(
    `insert into pgboss.job_common (name, source_name, data, singleton_key, policy, retry_limit, retry_delay, retry_backoff,
        expire_seconds, deletion_seconds)
      values ($1, $2, $3, $1, 'standard', 0, 0, false, 60, 600)`,
    [queue, job.source, job.payload === null ? null : JSON.stringify(job.payload)],
  );
}

describe('GET /portal/api/background-jobs', () => {
  it('counts the jobs of the tenant and of the vault, and none of another tenant', async () => {
    const { visitor } = await welcome(vault, tenant);
    const page = await visitor.send('GET', '/portal/api/background-jobs', { 'sec-fetch-site': 'same-origin' });
    const { data } = JSON.parse(page.text) as { data: { task: string }[] };
    const found = data.filter(({ task }) => ['dead-letters', 'mail-invitation', 'sweep-tokens'].includes(task));
    expect(found).toMatchObject([
      { task: 'mail-invitation', is_of_tenant: true, waiting: 2, running: 0 },
      { task: 'sweep-tokens', is_of_tenant: false, waiting: 1, running: 0 },
    ]);
  });

  it('counts those that run and those that have waited longest, if there are more than it counts', async () => {
    const crowded = await vault.makeTenant();
    const fill = (count: number, state: string, startsIn: string) =>
      vault.database.owner.query(
        `insert into pgboss.job_common (name, data, state, start_after, singleton_key, policy, retry_limit, retry_delay,
            retry_backoff, expire_seconds, deletion_seconds)
          select 'mail-invitation', jsonb_build_object('tenant_id', $1::text), $2::pgboss.job_state,
            now() + $3::interval, gen_random_uuid(), 'standard', 0, 0, false, 60, 600 from generate_series(1, $4)`,
        [crowded.id, state, startsIn, count],
      );
    await fill(10_000, 'created', '1 hour');
    await fill(1, 'created', '-2 hours');
    await fill(3, 'active', '2 hours');
    const { visitor } = await welcome(vault, crowded);
    const page = await visitor.send('GET', '/portal/api/background-jobs', { 'sec-fetch-site': 'same-origin' });
    const { data } = JSON.parse(page.text) as { data: { task: string; waiting: number; lag_seconds: number }[] };
    const found = data.find(({ task }) => task === 'mail-invitation');
    expect(found).toMatchObject({ running: 3 });
    expect(found?.waiting).toBeGreaterThan(9_000);
    expect(found?.lag_seconds).toBeGreaterThan(7_000);
  });

  it('is recorded as a page view, and is not in the API for keys', async () => {
    const { rows } = await vault.database.owner.query(
      `select from audit_records where tenant_id = $1 and entity_type = 'tenant' and operation = 'read' and actor_type = 'user'`,
      [tenant.id],
    );
    expect(rows).toHaveLength(1);
    expect((await vault.request('GET', '/background-jobs', { key: tenant.keys.management })).status).toBe(404);
  });
});
