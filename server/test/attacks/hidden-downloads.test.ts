import { afterAll, beforeAll, expect, it } from 'vitest';
import { welcome } from '../harness/portal-people.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// The portal leaves out what members saw by merely looking at pages. A member who copies the whole log must not be among
// them.

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const ownPage = { 'sec-fetch-site': 'same-origin' };

interface LogPage {
  readonly data: readonly { readonly operation: string; readonly details?: Readonly<Record<string, unknown>> }[];
}

it('a member who downloads the log is shown among what is more than looking at pages', async () => {
  const { visitor } = await welcome(vault, tenant);
  for (const path of ['/logs', '/logs/counts', '/logs/export', '/logs/export?format=csv&operation=create'])
    expect((await visitor.get(`/portal/api${path}`, ownPage)).status, path).toBe(200);
  await sealAll(vault.database, signerOf(vault.server));
  const { body } = await vault.request(
    'GET',
    '/logs?actor_type=user&operation=read&entity_type=log&exclude=member_views',
    { key: tenant.keys.management },
  );
  expect((body as LogPage).data.map(({ details }) => details)).toEqual([
    { via: 'download', fields: ['operation'] },
    { via: 'download' },
  ]);
});
