import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium } from '../harness/chromium.ts';
import { openPortal, type PortalBrowser } from '../harness/portal-browser.ts';
import { welcome } from '../harness/portal-people.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let chromium: Chromium;
let tenant: TestTenant;
let owner: PortalBrowser;
beforeAll(async () => {
  [vault, chromium] = await Promise.all([TestVault.start(), Chromium.start()]);
  tenant = await vault.makeTenant();
  owner = await openPortal(chromium, vault, tenant, 'OWNER');
});
afterAll(async () => {
  await chromium.stop();
  await vault.stop();
});

const rowOf = (text: string) => owner.page.getByRole('row').filter({ hasText: text });
const press = (name: string) => owner.page.getByRole('button', { name, exact: true }).click();

describe('an owner', () => {
  it('invites somebody, sends the link again, and takes it back', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { page, visit } = owner;
    await visit('/portal/members');
    await press('Invite a member');
    await page.getByLabel('E-mail address', { exact: true }).fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption('Read only');
    await press('Send the invitation');
    await rowOf(email).getByText('Pending').waitFor();
    expect(await rowOf(email).getByText('Read only').count()).toBe(1);
    await press(`Resend the invitation to ${email}`);
    await page.getByText(`A new link has been sent to ${email}`).waitFor();
    await press(`Delete the invitation to ${email}`);
    await press('Delete the invitation');
    await page.getByText('Nobody is invited at the moment.').waitFor();
    expect(await invitations()).toEqual([]);
    expect(owner.complaints).toEqual([]);
  });

  it('changes the role of a member and removes them, who is out with the next request', async () => {
    const { visitor, email } = await welcome(vault, tenant);
    await owner.visit('/portal/members');
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

  it('learns why the last owner stays', async () => {
    await owner.visit('/portal/members');
    await press(`Remove ${owner.email}`);
    await press('Remove the member');
    const alert = owner.page.getByRole('dialog').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/owner/i);
    expect(await rowOf(owner.email).count()).toBe(1);
  });
});

describe('a member who may only read', () => {
  it('sees the members and no button to change anything', async () => {
    const reader = await openPortal(chromium, vault, tenant, 'READ_ONLY');
    await reader.visit('/portal/members');
    expect(await reader.page.getByRole('row').filter({ hasText: owner.email }).getByText('Owner').count()).toBe(1);
    expect(await reader.page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(reader.complaints).toEqual([]);
  });
});

async function invitations(): Promise<unknown> {
  const { body } = await vault.request('GET', '/tenants/self/invitations', { key: tenant.keys.management });
  return (body as { data: unknown[] }).data;
}
