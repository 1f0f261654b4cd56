import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
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

const conditions = [{ attribute: 'id', operator: 'equals', value: 'card-of-c-1042' }];
const rules = [{ priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }];

async function open(): Promise<{ session_key: string; nonce: string }> {
  const { body } = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const session = body as { session_key: string; nonce: string };
  const grant = { nonce: session.nonce, rules, permissions: ['token:search'] };
  await vault.request('POST', '/sessions/authorize', { key: tenant.keys.reveal, body: grant });
  return session;
}

const statusOf = async (key: string) => (await vault.request('GET', '/tokens/card-of-c-1042', { key })).status;

describe('the page of sessions', () => {
  it('shows an admin who may do what, and ends a session', async () => {
    const { page, context, complaints, open: visit } = await browser.signIn(tenant, 'ADMIN');
    await visit('/portal/sessions');
    await page.getByText('No session can be used right now').waitFor();

    const { session_key, nonce } = await open();
    expect(await statusOf(session_key)).toBe(404);
    await page.reload();
    await settled(page);
    const row = page.getByRole('row').nth(1);
    // Names load after the ids that they replace.
    await row.getByText('public').first().waitFor();
    for (const text of ['public', 'reveal', 'Plaintext', 'token: read', 'id is card-of-c-1042', 'any page'])
      expect(await row.textContent()).toContain(text);
    await browser.chromium.photograph(page, 'portal-sessions');

    await row.getByRole('button', { name: /^End session/ }).click();
    expect(await statusOf(session_key)).toBe(404);
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
    await page.getByText('No session can be used right now').waitFor();
    await untilTrue(async () => (await statusOf(session_key)) === 401, { waitingFor: 'the end of the session' });
    for (const secret of [session_key, nonce]) expect(await page.content()).not.toContain(secret);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows sessions that wait apart from those that can be used', async () => {
    const { page, context, open: visit } = await browser.signIn(tenant, 'ADMIN');
    await vault.request('POST', '/sessions', { key: tenant.keys.public });
    await visit('/portal/sessions');
    expect(await page.getByRole('row').count()).toBe(0);
    await page.getByRole('link', { name: 'Waiting' }).click();
    await page.getByText('nobody yet').waitFor();
    expect(await page.getByRole('row').nth(1).textContent()).toContain('nothing yet');
    await context.close();
  });

  it('lets an auditor look, and end nothing', async () => {
    await open();
    const { page, context, open: visit } = await browser.signIn(tenant, 'READ_ONLY');
    await visit('/portal/sessions');
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('button', { name: /^End/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^What it did/ }).count()).toBe(1);
    await context.close();
  });
});
