import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
let url: string;
let admin: MemberAtBrowser;
let page: Page;

beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  ({ url } = browser);
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  admin = await browser.signIn(tenant, 'ADMIN', { permissions: ['clipboard-read', 'clipboard-write'] });
  ({ page } = admin);
});
afterEach(() => admin.context.close());
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
const statusOf = async (key: string) => (await vault.request('GET', '/applications/key', { key })).status;

const supportDesk = {
  name: 'Support desk',
  type: 'private',
  permissions: [],
  rules: [
    { description: 'See customers', priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] },
  ],
};

describe('replacing a key', () => {
  it('goes from a second key to the end of the first, without a moment when neither works', async () => {
    const { id, key, keyId } = await createApplication(vault, tenant, supportDesk);
    await page.goto(`${url}/portal/applications/${id}?tab=keys`);
    await page.getByRole('link', { name: `Rotate key ${keyId}` }).click();
    expect(await page.getByRole('button', { name: 'Revoke the old key' }).isDisabled()).toBe(true);
    await press('Create the second key');
    const secret = await page.getByLabel('Secret of the new key').textContent();
    expect(await page.getByText('It is shown only once').count()).toBe(1);
    await press('Copy');
    expect(await page.getByRole('region', { name: 'Rotation' }).textContent()).toContain('New key last usednever');
    await browser.chromium.photograph(page, 'portal-rotation');
    expect([await statusOf(key), await statusOf(secret ?? '')]).toEqual([200, 200]);

    await press('Revoke the old key');
    expect(await statusOf(key)).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('The rotation is complete').waitFor();
    expect([await statusOf(key), await statusOf(secret ?? '')]).toEqual([401, 200]);
    expect(await page.content()).not.toContain(secret);
    expect(admin.complaints).toEqual([]);
  });

  it('goes on after a reload, which forgets the secret', async () => {
    const { id, keyId } = await createApplication(vault, tenant, supportDesk);
    await page.goto(`${url}/portal/applications/${id}?rotate=${keyId}`);
    await press('Create the second key');
    const secret = await page.getByLabel('Secret of the new key').textContent();
    await page.reload();
    await page.getByText('There is a newer key already').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.getByRole('button', { name: 'Revoke the old key' }).isDisabled()).toBe(false);
  });

  it('says before anything is tried that the sign-in is too old', async () => {
    const { id } = await createApplication(vault, tenant, supportDesk);
    await vault.database.owner.query(`update user_sessions set created_at = now() - interval '16 minutes'`);
    await page.goto(`${url}/portal/applications/${id}?tab=keys`);
    await page.getByText('Changes need a sign-in within the last 15 minutes. Yours is older.').waitFor();
    await press('Create a key');
    await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL(({ pathname }) => pathname === '/portal/sign-in');
  });
});

describe('editing rules', () => {
  it('shows what would change, and only then lets it be saved', async () => {
    const { id, key } = await createApplication(vault, tenant, supportDesk);
    const token = { type: 'token', data: 'whole value', mask: '{{ data | reveal_last: 2 }}', containers: ['/pci/'] };
    const stored = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body: token });
    const { id: tokenId } = stored.body as { id: string };
    const read = async () =>
      ((await vault.request('GET', `/tokens/${tokenId}`, { key })).body as { data: unknown }).data;

    await page.goto(`${url}/portal/applications/${id}?edit=true`);
    await press('Add a rule');
    const rule = page.getByRole('group', { name: 'Rule 2' });
    await rule.getByLabel('Container').fill('/pci/');
    const save = page.getByRole('button', { name: 'Save and show plaintext' });
    await rule.getByText('Plaintext', { exact: true }).click();
    expect(await save.count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await rule.getByRole('button', { name: 'Move up' }).click();

    const lines = page.getByRole('list', { name: 'What changes' }).getByRole('listitem');
    await page
      .getByText('Support desk would see plaintext of tokens in /pci/ instead of masked data.', { exact: true })
      .waitFor();
    expect(await lines.count()).toBe(1);
    await page.getByLabel('Check it on one token').fill(tokenId);
    await press('Check');
    await page.getByText(`Support desk would see plaintext of token ${tokenId} instead of masked data.`).waitFor();
    expect(await lines.count()).toBe(2);
    await browser.chromium.photograph(page, 'portal-difference');
    expect(await read()).not.toBe('whole value');

    await save.click();
    await page.getByText('Support desk saved').waitFor();
    expect(await read()).toBe('whole value');
    await press('Undo');
    await page.getByText('Support desk is as it was before').waitFor();
    expect(await read()).not.toBe('whole value');
    expect(admin.complaints).toEqual([]);
  });

  it('asks again after a further edit', async () => {
    const { id } = await createApplication(vault, tenant, supportDesk);
    await page.goto(`${url}/portal/applications/${id}?edit=true`);
    const save = page.getByRole('button', { name: /^Save/ });
    await page.getByRole('group', { name: 'Rule 1' }).getByText('Plaintext', { exact: true }).click();
    await expect.poll(() => save.isEnabled()).toBe(true);
    await page.getByRole('group', { name: 'Rule 1' }).getByLabel('Container').fill('/pii/');
    expect(await save.isEnabled()).toBe(false);
    await page.getByText('Support desk could no longer read tokens in all other containers.').waitFor();
  });
});

describe('the origins of a public application', () => {
  const shop = 'https://shop.example';
  const facts = () => page.locator('dl.facts').textContent();

  it('are listed, corrected and removed', async () => {
    const { id } = await createApplication(vault, tenant, { type: 'public', permissions: ['token:create'] });
    const stored = async () =>
      (
        (await vault.request('GET', `/applications/${id}`, { key: tenant.keys.management })).body as {
          allowed_origins?: string[];
        }
      ).allowed_origins;
    const edit = async () => {
      await page.goto(`${url}/portal/applications/${id}?edit=true`);
      return page.getByRole('group', { name: 'Which pages may use its keys' });
    };
    const save = async () => {
      await press('Save');
      await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
      await page.locator('dl.facts').waitFor();
    };

    const first = await edit();
    expect(await first.getByLabel('Pages of any origin').isChecked()).toBe(true);
    expect(await page.getByText('Where the proxy may send values').count()).toBe(0);
    await first.getByLabel('Only pages of these origins').check();
    await first.getByLabel('Origins, one per line').fill(`${shop.toUpperCase()}\n\n${shop}/pay`);
    await press('Save');
    await first.getByText('must be an origin such as https://shop.example').waitFor();
    expect(await stored()).toBeUndefined();
    await first.getByLabel('Origins, one per line').fill(`${shop.toUpperCase()}\n\nhttp://localhost:3000`);
    await save();
    expect(await stored()).toEqual([shop, 'http://localhost:3000']);
    expect(await facts()).toContain(`Origins${shop}, http://localhost:3000`);

    const second = await edit();
    expect(await second.getByLabel('Origins, one per line').inputValue()).toBe(`${shop}\nhttp://localhost:3000`);
    await second.getByLabel('Origins, one per line').fill('');
    await save();
    expect(await stored()).toEqual([]);
    expect(await facts()).toContain('Originsnone: no page can use its keys');

    await (await edit()).getByLabel('Pages of any origin').check();
    await save();
    expect(await stored()).toBeUndefined();
    expect(await facts()).toContain('Originsany: pages of every site can use its keys');
  });

  it('are kept by an edit of something else', async () => {
    const { id } = await createApplication(vault, tenant, {
      type: 'public',
      permissions: ['token:create'],
      allowed_origins: [shop],
    });
    await page.goto(`${url}/portal/applications/${id}?edit=true`);
    await page.getByLabel('Name').fill('Web shop');
    await press('Save');
    await page.getByText(/ saved$/).waitFor();
    const { body } = await vault.request('GET', `/applications/${id}`, { key: tenant.keys.management });
    expect(body).toMatchObject({ name: 'Web shop', allowed_origins: [shop] });
    expect(admin.complaints).toEqual([]);
  });
});

describe('a new application', () => {
  it('starts from a template, and its secret is shown once', async () => {
    await page.goto(`${url}/portal/applications/new`);
    await page.getByLabel('Use without reading').check();
    await page.getByLabel('Name').fill('Billing');
    await press('Create the application');
    const secret = (await page.getByLabel('Secret of the new key').textContent()) ?? '';
    const { body } = await vault.request('GET', '/applications/key', { key: secret });
    expect(body).toMatchObject({ name: 'Billing', permissions: ['token:read', 'token:search', 'token:use'] });
    await page.getByRole('link', { name: 'Open the application' }).click();
    await page.getByRole('dialog', { name: 'Leave without the secret?' }).waitFor();
    await press('Stay here');
    await press('Copy');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await page.getByRole('link', { name: 'Open the application' }).click();
    await press('More actions');
    await press('Delete');
    await page.getByLabel('Type Billing to go on').fill('Billin');
    expect(await page.getByRole('button', { name: 'Delete the application' }).isDisabled()).toBe(true);
    await page.getByLabel('Type Billing to go on').fill('Billing');
    await press('Delete the application');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    expect(await statusOf(secret)).toBe(401);
    expect(admin.complaints).toEqual([]);
  });
});
