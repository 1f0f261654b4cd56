import { afterAll, beforeAll, expect, it } from 'vitest';
import { withLimits } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { limits: { table: withLimits({ 'token-write': 1 }) } });
  browser = await PortalBrowser.start(vault);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

it('the overview says who reached which limit, and which setting raises it', async () => {
  const tenant = await vault.makeTenant();
  const { page, open, complaints } = await browser.signIn(tenant, 'READ_ONLY');
  await open('/portal/');
  expect(await page.getByText('reached the limit').count()).toBe(0);
  const body = { type: 'token', data: 'x' };
  const create = async () => (await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status;
  expect([await create(), await create()]).toEqual([201, 429]);
  await sealAll(vault.database, signerOf(vault.server));
  await open('/portal/');
  const row = page.getByRole('link').filter({ hasText: '127.0.0.1 reached the limit token-write of 1 request' });
  await row.waitFor();
  expect(await row.textContent()).toMatch(/1 request was rejected.*STRONGROOM_RATE_LIMITS/);
  await row.click();
  await page.waitForURL(/\/portal\/audit\?.*source_address=127\.0\.0\.1/);
  expect(complaints).toEqual([]);
});
