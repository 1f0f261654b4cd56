import { afterAll, beforeAll, expect, it } from 'vitest';
import { FourEyesTenant } from '../harness/four-eyes.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * The owner can remove a tenant immediately by typing its name. Previously, a management key could do that too, because
 * it could read the name from the API. A leaked key could destroy the encryption keys of a production tenant before
 * anybody noticed.
 */
let vault: TestVault;
let here: FourEyesTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
});
afterAll(() => vault.stop());

async function countKeys(): Promise<number> {
  const text = 'select from tenant_keys where tenant_id = $1';
  return (await vault.database.owner.query(text, [here.tenant.id])).rows.length;
}

async function nameQuery(): Promise<string> {
  const { body } = await here.byKey('GET', '/tenants/self');
  return `?name=${encodeURIComponent(String(body['name']))}`;
}

it.each(['its name', 'another name'])('the first management key does not remove the tenant with %s', async (which) => {
  const query = which === 'its name' ? await nameQuery() : '?name=Other';
  const { status, body } = await here.byKey('DELETE', `/tenants/self${query}`);
  expect({ status, body }).toMatchObject({ status: 403, body: { detail: expect.stringContaining('in the portal') } });
  expect(await countKeys()).toBeGreaterThan(0);
  expect((await here.byKey('GET', '/tenants/self')).status).toBe(200);
});

it('the key deletes it for seven days, and the owner removes it in the portal', async () => {
  const query = await nameQuery();
  const [owner] = here.people;
  await vault.database.owner.query(
    `update members set role = case when id = $2 then 'OWNER' else 'ADMIN' end where tenant_id = $1`,
    [here.tenant.id, owner.memberId],
  );
  expect((await here.byKey('DELETE', '/tenants/self')).status).toBe(204);
  expect(await countKeys()).toBeGreaterThan(0);
  expect((await here.by(owner, 'DELETE', `/tenants/self${query}`)).status).toBe(204);
  expect(await countKeys()).toBe(0);
});
