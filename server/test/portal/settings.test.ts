import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PortalBrowser, settled } from '../harness/portal-browser.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

async function stored(): Promise<{ name: string; settings: Record<string, string> }> {
  const { body } = await vault.request('GET', '/tenants/self', { key: tenant.keys.management });
  return body as { name: string; settings: Record<string, string> };
}

describe('the page of settings', () => {
  it('says what a setting weakens before it is saved, and saves only what was edited', async () => {
    const { page, context, complaints, open } = await browser.signIn(tenant, 'ADMIN');
    await open('/portal/settings');
    await page.getByRole('radio', { name: /^Returns the existing token/ }).check();
    await page.getByText('and not saved. Whoever creates a token learns whether').waitFor();
    await page.getByLabel('Hours that a token intent lives').fill('12');
    await page.getByLabel('Name of the tenant').fill('Acme Payments');
    await browser.chromium.photograph(page, 'portal-settings');
    await page.getByRole('button', { name: 'Save with less protection' }).click();
    await page.getByText('The settings are saved').waitFor();
    expect(await stored()).toMatchObject({
      name: 'Acme Payments',
      settings: { deduplicate_tokens: 'true', token_intent_hours: '12' },
    });
    expect(Object.keys((await stored()).settings)).toHaveLength(2);
    await page.getByRole('radio', { name: /^Stores another token/ }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByRole('radio', { name: /^Returns the existing token/ }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows that switching approvals off waits for somebody else', async () => {
    const { page, context, open } = await browser.signIn(tenant, 'ADMIN');
    const body = { name: 'Acme Payments', settings: { approve_plaintext: 'true' } };
    await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body });
    await open('/portal/settings');
    await page.getByRole('radio', { name: /^Take effect at once/ }).check();
    await page.getByRole('button', { name: 'Save with less protection' }).click();
    await page.getByText('A change of these settings awaits approval.').waitFor();
    expect(await page.getByRole('radio', { name: /^Need a second person/ }).isChecked()).toBe(true);
    expect((await stored()).settings['approve_plaintext']).toBe('true');
    await context.close();
  });

  it('lets an auditor look, and change nothing', async () => {
    const { page, context, open } = await browser.signIn(tenant, 'READ_ONLY');
    await open('/portal/settings');
    await settled(page);
    const inputs = page.getByRole('main').locator('input');
    expect(await inputs.count()).toBeGreaterThan(10);
    for (const input of await inputs.all()) expect(await input.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
    await context.close();
  });
});
