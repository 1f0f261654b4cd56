import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseTenant, PortalBrowser, settled } from '../harness/portal-browser.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let first: TestTenant;
let second: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  [first, second] = [await vault.makeTenant(), await vault.makeTenant()];
  for (const [name, { id }] of [
    ['First', first],
    ['Second', second],
  ] as const)
    await vault.database.owner.query('update tenants set name = $2 where id = $1', [id, name]);
  browser = await PortalBrowser.start(vault);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

it('keeps a page on its tenant while another tab of the same person chooses another one', async () => {
  const { page, context, email, open } = await browser.signIn(first, 'ADMIN');
  await vault.database.owner.query(
    `insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from users where email = $2`,
    [second.id, email],
  );
  await open('/portal/');
  await chooseTenant(page, 'First');
  await settled(page);
  await open('/portal/members');

  const other = await context.newPage();
  await other.goto(`${browser.url}/portal/`);
  await chooseTenant(other, 'Second');
  await other.getByRole('button', { name: /^Second/ }).waitFor();
  await settled(other);

  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('newcomer@example.com');
  const isInvitation = (url: string) => url.endsWith('/portal/api/tenants/self/invitations');
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && isInvitation(request.url())),
    page.getByRole('button', { name: 'Create the invitation' }).click(),
  ]);
  expect(sent.headers()['strongroom-tenant']).toBe(first.id);

  await page.reload();
  await settled(page);
  await page.getByRole('button', { name: /^First/ }).waitFor();
  await other.getByRole('button', { name: /^Second/ }).waitFor();
  await context.close();
});
