import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
let owner: MemberAtBrowser;
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  tenant = await vault.makeTenant();
  owner = await browser.signIn(tenant, 'OWNER');
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

const press = (name: string) => owner.page.getByRole('button', { name, exact: true }).click();
const keyWorks = async () =>
  (await vault.request('GET', '/applications/key', { key: tenant.keys.management })).status === 200;
const keep = async (name: string) => {
  const directory = process.env['SCREENSHOT_DIRECTORY'];
  if (directory !== undefined) await owner.page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
};

describe('an owner', () => {
  it('deletes the tenant, sees until when it is kept, and restores it', async () => {
    await owner.open('/portal/members');
    await owner.page.getByRole('heading', { name: 'Delete this tenant' }).waitFor();
    await keep('danger-zone');
    await press('Delete this tenant …');
    await keep('delete-tenant');
    await press('Delete the tenant');
    await owner.page.getByRole('heading', { name: 'Test was deleted' }).waitFor();
    await keep('deleted-tenant');
    await untilTrue(async () => !(await keyWorks()), { waitingFor: 'the key to be refused' });

    await owner.open('/portal/applications');
    await owner.page.getByRole('heading', { name: 'Test was deleted' }).waitFor();
    await press('Restore the tenant');
    await owner.page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
    await untilTrue(keyWorks, { waitingFor: 'the key to work again' });
    expect(owner.complaints).toEqual([]);
  });

  it('removes it at once only with its name', async () => {
    await owner.open('/portal/members');
    await press('Delete this tenant …');
    await owner.page.getByLabel('Remove it now instead, with its encryption keys').check();
    const button = owner.page.getByRole('button', { name: 'Remove the tenant now', exact: true });
    const name = owner.page.getByLabel('Type Test to go on', { exact: true });
    for (const wrong of ['', 'test', 'Test ']) {
      await name.fill(wrong);
      expect(await button.isDisabled()).toBe(true);
    }
    await name.fill('Test');
    await keep('remove-tenant');
    await button.click();
    await owner.page.waitForURL('**/portal/sign-in**');
    const { rows } = await vault.database.owner.query('select from tenants where id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });
});

describe('an admin', () => {
  it('is offered neither the deletion nor its permission, and cannot restore', async () => {
    const other = await vault.makeTenant();
    const admin = await browser.signIn(other, 'ADMIN');
    await admin.open('/portal/members');
    await admin.page.getByRole('heading', { name: 'Invitations' }).waitFor();
    expect(await admin.page.getByText('Delete this tenant').count()).toBe(0);
    await admin.open('/portal/applications/new');
    await admin.page.getByRole('radio', { name: /^Management/ }).click();
    await admin.page.getByText('tenant:member:update', { exact: true }).waitFor();
    expect(await admin.page.getByText('tenant:delete', { exact: true }).count()).toBe(0);

    await vault.request('DELETE', '/tenants/self', { key: other.keys.management });
    await admin.open('/portal/members');
    await admin.page.getByText('its owner can restore it').waitFor();
    expect(await admin.page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(admin.complaints).toEqual([]);
  });
});
