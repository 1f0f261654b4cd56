import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import type { SqlValue, Transaction } from '../../src/platform/database/database.ts';
import { listQueued } from '../harness/queued-jobs.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// A fault in the application lets a tenant run statements as its role. The functions that its role may call have the
// rights of the owner of the database, so each of them has to keep to the tenant of the transaction.

let vault: TestVault;
let tenant: TestTenant;
let victim: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  [tenant, victim] = [await vault.makeTenant(), await vault.makeTenant()];
});
beforeEach(async () => {
  await vault.database.owner.query('delete from pgboss.job_common');
});
afterAll(() => vault.stop());

const asTenant = <T>(work: (tx: Transaction) => Promise<T>, of = tenant) =>
  vault.server.core.database.forTenant(parseTenantId(of.id), work);
const call = (text: string, values: SqlValue[] = []) => asTenant((tx) => tx.query({ text, values }));
const enqueue = (task: string, payload: object, key: string) =>
  call('select enqueue_job($1, $2, $3, 0)', [task, JSON.stringify(payload), key]);
const refused = 'SQLSTATE P0001';

/** Adds a dead letter as pg-boss does when the last retry of a job fails. */
const addDead = (of: TestTenant, task: string) =>
  vault.database.owner.query(
    `insert into pgboss.job_common (name, data, singleton_key, source_name, source_id, source_retry_count, source_output, keep_until)
      values ('dead-letters', json_build_object('tenant_id', $1::text, 'secret', 'of ' || $1), gen_random_uuid(), $2,
        gen_random_uuid(), 100, '{"error": "of the operator"}', now() + interval '1 year')`,
    [of.id, task],
  );

describe('a tenant', () => {
  it('cannot have the data of another purged', async () => {
    const payload = { tenant_id: victim.id };
    await expect(enqueue('purge-tenant', payload, `purge-tenant:${victim.id}`)).rejects.toThrow(refused);
    await expect(enqueue('purge-tenant', payload, `purge-tenant:${tenant.id}`)).rejects.toThrow(refused);
    expect(await listQueued(vault.database.owner, 'purge-tenant')).toEqual([]);
  });

  it('cannot replace, wake or withdraw work of another', async () => {
    await asTenant(
      (tx) =>
        tx.query({
          text: `select enqueue_job('purge-tenant', json_build_object('tenant_id', $1::text), 'purge-tenant:' || $1, 3600)`,
          values: [victim.id],
        }),
      victim,
    );
    const before = await listQueued(vault.database.owner, 'purge-tenant');
    const payload = { tenant_id: victim.id };
    await expect(enqueue('purge-tenant', payload, `purge-tenant:${victim.id}`)).rejects.toThrow(refused);
    const webhook = crypto.randomUUID();
    const wake = call('select wake_webhooks(array[$1::uuid], array[$2::uuid], 0)', [victim.id, webhook]);
    await expect(wake).rejects.toThrow(refused);
    await expect(call(`delete from pgboss.job_common`)).rejects.toThrow('SQLSTATE 42501');
    await expect(call('select wake_log_streams($1::text[], 0)', [['stream']])).rejects.toThrow('SQLSTATE 42501');
    expect(await listQueued(vault.database.owner, 'purge-tenant')).toEqual(before);
    expect(await listQueued(vault.database.owner, 'deliver-webhook')).toEqual([]);
  });

  it.each([{}, { tenant_id: null }, { tenant_id: [] }])('cannot replace work of another with %j', async (payload) => {
    const key = `purge-tenant:${victim.id}`;
    const text = `select enqueue_job('purge-tenant', json_build_object('tenant_id', $1::text), $2, 3600)`;
    await asTenant((tx) => tx.query({ text, values: [victim.id, key] }), victim);
    const before = await listQueued(vault.database.owner, 'purge-tenant');
    await expect(enqueue('purge-tenant', payload, key)).rejects.toThrow(refused);
    await expect(enqueue('purge-tenant', { tenant_id: tenant.id }, key)).rejects.toThrow(refused);
    expect(await listQueued(vault.database.owner, 'purge-tenant')).toEqual(before);
    const wake = call('select wake_webhooks(array[null::uuid], array[gen_random_uuid()], 0)');
    await expect(wake).rejects.toThrow(refused);
  });

  it('cannot put a run of its own in the place of one for the webhook of another', async () => {
    const webhook = crypto.randomUUID();
    const wake = (of: TestTenant, delay: number) => ({
      text: 'select wake_webhooks(array[$1::uuid], array[$2::uuid], $3)',
      values: [of.id, webhook, delay],
    });
    const queued = async () => {
      const text = `select data from pgboss.job_common where name = 'deliver-webhook'`;
      return (await vault.database.owner.query<{ data: object }>(text)).rows;
    };
    await asTenant((tx) => tx.query(wake(tenant, 3_600)));
    await vault.server.core.database.forSealer((tx) => tx.query(wake(victim, 3_600)));
    expect(await queued()).toEqual([{ data: { tenant_id: victim.id, webhook_id: webhook } }]);
    await asTenant((tx) => tx.query(wake(tenant, 0)));
    expect(await queued()).toEqual([{ data: { tenant_id: victim.id, webhook_id: webhook } }]);
  });

  it('cannot fill a queue whose jobs have no key of their own, or the queue with large jobs', async () => {
    for (const task of ['deliver-webhook', 'stream-log', 'dead-letters', '__pgboss__send-it']) {
      await expect(enqueue(task, { tenant_id: tenant.id }, `${task}:1`)).rejects.toThrow(refused);
    }
    const large = { tenant_id: tenant.id, more: 'x'.repeat(5_000) };
    await expect(enqueue('mail-invitation', large, 'mail-invitation:1')).rejects.toThrow(refused);
    const key = `mail-invitation:${'x'.repeat(200)}`;
    await expect(enqueue('mail-invitation', { tenant_id: tenant.id }, key)).rejects.toThrow(refused);
    expect(await listQueued(vault.database.owner, 'mail-invitation')).toEqual([]);
  });

  it('cannot have the functions use its own tables, types or operators', async () => {
    const attempt = asTenant(async (tx) => {
      await tx.query({ text: 'create temp table job_common (like tenants)' });
      await tx.query({
        text: `create function pg_temp.current_tenant_id() returns uuid language sql return '${victim.id}'`,
      });
      await tx.query({ text: `set local search_path = pg_temp, public` });
      return tx.query({ text: 'select * from public.failed_jobs()' });
    });
    await addDead(victim, 'deliver-webhook');
    // Whether the role may create temporary objects or not, they are not used.
    expect(await attempt.catch(() => [])).toEqual([]);
  });
});

describe('failed jobs', () => {
  const read = async (of: TestTenant) =>
    (await vault.request('GET', '/tenants/self/failed-jobs', { key: of.keys.management })).body;

  it('are shown to their tenant only, without what they contain', async () => {
    await addDead(victim, 'deliver-webhook');
    await addDead(victim, 'deliver-webhook');
    await addDead(victim, 'mail-invitation');
    expect(await read(tenant)).toEqual({ failed_jobs: [] });
    const last_failed_at = expect.any(String);
    expect(await read(victim)).toEqual({
      failed_jobs: [
        { task: 'deliver-webhook', jobs: 2, last_failed_at },
        { task: 'mail-invitation', jobs: 1, last_failed_at },
      ],
    });
    const text = JSON.stringify(await read(victim));
    for (const secret of ['of the operator', `of ${victim.id}`]) expect(text).not.toContain(secret);
  });

  it('cannot be read by a key without the right to the tenant, or by another role', async () => {
    const { status } = await vault.request('GET', '/tenants/self/failed-jobs', { key: tenant.keys.private });
    expect(status).toBe(403);
    const { database } = vault.server.core;
    const text = 'select * from failed_jobs()';
    for (const look of [database.forSystem.bind(database), database.forPortal.bind(database)]) {
      await expect(look((tx) => tx.query({ text }))).rejects.toThrow('SQLSTATE 42501');
    }
  });
});
