import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askPortal, signInAs } from '../harness/tenant-people.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// Jobs are enqueued in the transaction that causes them. The database refuses these transactions at their commit, when all of
// their statements have succeeded, so a job that was enqueued in a transaction of its own would stay.

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  await vault.database.owner.query(`create function refuse_commit() returns trigger language plpgsql
    as $$ begin raise exception 'refused'; end $$`);
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

async function whileRefused<T>(table: 'invitations' | 'tenants', work: () => Promise<T>): Promise<T> {
  const { owner } = vault.database;
  await owner.query(`create constraint trigger refused after insert or update or delete on ${table}
    deferrable initially deferred for each row execute function refuse_commit()`);
  try {
    return await work();
  } finally {
    await owner.query(`drop trigger refused on ${table}`);
  }
}

const listJobs = async () =>
  (await vault.database.owner.query('select name, singleton_key, data from pgboss.job_common order by 1, 2')).rows;
const invite = (path = '', body?: object) =>
  vault.request('POST', `/tenants/self/invitations${path}`, { key: tenant.keys.management, ...(body && { body }) });
const newAddress = () => ({ email: `${crypto.randomUUID()}@example.com` });

describe('a transaction that is rolled back', () => {
  it('leaves no mail for an invitation that was not stored', async () => {
    const before = await listJobs();
    expect((await whileRefused('invitations', () => invite('', newAddress()))).status).toBe(500);
    expect(await listJobs()).toEqual(before);
    expect((await invite('', newAddress())).status).toBe(201);
    expect(await listJobs()).toHaveLength(before.length + 1);
  });

  it('leaves the mail for the link of an invitation that was not sent again', async () => {
    const { id } = (await invite('', newAddress())).body as { id: string };
    const before = await listJobs();
    expect((await whileRefused('invitations', () => invite(`/${id}/resend`))).status).toBe(500);
    expect(await listJobs()).toEqual(before);
  });

  it('leaves the data of a tenant that was not removed', async () => {
    const person = await signInAs(vault, tenant, 'OWNER');
    const remove = () => askPortal(person, 'DELETE', '/tenants/self?name=Test');
    expect((await whileRefused('tenants', remove)).status).toBe(500);
    const purges = async () => (await listJobs()).filter(({ name }) => name === 'purge-tenant');
    expect(await purges()).toEqual([]);
    expect((await remove()).status).toBe(204);
    expect(await purges()).toHaveLength(1);
  });
});

describe('an invitation that is deleted', () => {
  it.each(['waits', 'runs', 'has failed for good'])('takes its mail with it, which %s', async (state) => {
    const { id } = (await invite('', newAddress())).body as { id: string };
    const { id: kept } = (await invite('', newAddress())).body as { id: string };
    const { owner } = vault.database;
    const key = `mail-invitation:${id}`;
    if (state === 'runs') {
      await owner.query(`update pgboss.job_common set state = 'active' where singleton_key = $1`, [key]);
    } else if (state !== 'waits') {
      const values = `set name = 'dead-letters', source_name = name, policy = 'standard'`;
      await owner.query(`update pgboss.job_common ${values} where singleton_key = $1`, [key]);
    }
    const keys = async () =>
      (await owner.query<{ key: string }>('select singleton_key as key from pgboss.job_common')).rows.map(
        (row) => row.key,
      );
    expect(await keys()).toContain(key);
    const path = `/tenants/self/invitations/${id}`;
    expect((await vault.request('DELETE', path, { key: tenant.keys.management })).status).toBe(204);
    expect(await keys()).not.toContain(key);
    expect(await keys()).toContain(`mail-invitation:${kept}`);
  });
});
