import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEmailAddress } from '../../src/core/identity/email-address.ts';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { welcome } from '../harness/portal-people.ts';
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

const rowOf = (text: string) => owner.page.getByRole('row').filter({ hasText: text });
const press = (name: string) => owner.page.getByRole('button', { name, exact: true }).click();

describe('an owner', () => {
  it('invites somebody, passes on the link, renews it, and takes it back', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { page, open } = owner;
    await open('/portal/members');
    await press('Invite a member');
    await page.getByLabel('E-mail address', { exact: true }).fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption('Read only');
    await press('Create the invitation');
    const first = await readLink();
    await browser.chromium.photograph(page, 'portal-invitation-link');
    await press('Done');
    await rowOf(email).getByText('Pending').waitFor();
    expect(await rowOf(email).getByText('Read only').count()).toBe(1);
    await press(`Show link for ${email}`);
    expect(await readLink()).toBe(first);
    await press('Done');
    await press(`New link for ${email}`);
    expect(await readLink()).not.toBe(first);
    await press('Done');
    expect(await page.content()).not.toMatch(/\/portal\/invitations\//);
    await press(`Delete the invitation to ${email}`);
    await press('Delete the invitation');
    await page.getByText('Nobody is invited at the moment').waitFor();
    expect(await invitations()).toEqual([]);
    expect(owner.complaints).toEqual([]);
  });

  it('changes the role of a member and removes them, who is out with the next request', async () => {
    const { visitor, email } = await welcome(vault, tenant);
    await owner.open('/portal/members');
    await press(`Change role of ${email}`);
    await owner.page.getByLabel('Role', { exact: true }).selectOption('Read only');
    await press('Change the role');
    await rowOf(email).getByText('Read only').waitFor();
    const read = () => visitor.send('GET', '/portal/api/tenants/self', { 'sec-fetch-site': 'same-origin' });
    expect((await read()).status).toBe(200);
    await press(`Remove ${email}`);
    await press('Remove the member');
    await rowOf(email).waitFor({ state: 'detached' });
    expect((await read()).status).not.toBe(200);
    expect(owner.complaints).toEqual([]);
  });

  it('is offered nothing on their own row that fails', async () => {
    await owner.open('/portal/members');
    expect(await rowOf(owner.email).getByText('stays until another member owns the tenant').count()).toBe(1);
    expect(await rowOf(owner.email).getByRole('button').count()).toBe(0);
  });

  it('alone may hand the tenant over', async () => {
    const { email } = await welcome(vault, tenant);
    const admin = await browser.signIn(tenant, 'ADMIN');
    for (const [reader, roles] of [
      [owner, ['Owner', 'Admin', 'Read only']],
      [admin, ['Admin', 'Read only']],
    ] as const) {
      await reader.open('/portal/members');
      await reader.page.getByRole('button', { name: `Change role of ${email}` }).click();
      expect(await reader.page.getByLabel('Role', { exact: true }).getByRole('option').allTextContents()).toEqual(
        roles,
      );
    }
    await admin.context.close();
  });
});

describe('an owner in a vault with a mail server', () => {
  it('is told that a mail goes out, and sees no link', async () => {
    const mailing = await TestVault.start(undefined, {
      mailFrom: parseEmailAddress('vault@example.com'),
    });
    const other = await PortalBrowser.start(mailing);
    const { page, open, complaints } = await other.signIn(await mailing.makeTenant(), 'OWNER');
    await open('/portal/members');
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByLabel('E-mail address', { exact: true }).fill('new@example.com');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('new@example.com is invited').waitFor();
    expect(await page.getByRole('button', { name: /link/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resend the invitation to new@example.com' }).click();
    await page.getByText('A new link is being mailed to new@example.com').waitFor();
    expect(complaints).toEqual([]);
    await other.stop();
    await mailing.stop();
  });
});

describe('a member who may only read', () => {
  it('sees the members and no button to change anything', async () => {
    const reader = await browser.signIn(tenant, 'READ_ONLY');
    await reader.open('/portal/members');
    expect(await reader.page.getByRole('row').filter({ hasText: owner.email }).getByText('Owner').count()).toBe(1);
    expect(await reader.page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(reader.complaints).toEqual([]);
  });
});

async function invitations(): Promise<unknown> {
  const { body } = await vault.request('GET', '/tenants/self/invitations', { key: tenant.keys.management });
  return (body as { data: unknown[] }).data;
}

async function readLink(): Promise<string> {
  const link = await owner.page.getByRole('dialog').getByLabel('Link of the invitation').textContent();
  expect(link).toMatch(/^http:\/\/localhost\/portal\/invitations\/\w{44}$/);
  return link ?? '';
}
