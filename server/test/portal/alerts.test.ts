import { afterAll, beforeAll, expect, it } from 'vitest';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let browser: PortalBrowser;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  browser = await PortalBrowser.start(vault);
  await vault.database.owner.query(
    `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, details)
      select $1, 'key', k.id::text, 'alert', 'success', 'system',
        '{"rule":"misses","count":143,"from":"2026-05-04T12:00:00.000Z","minutes":10}'
      from application_keys k where k.tenant_id = $1 limit 1`,
    [tenant.id],
  );
  await sealAll(vault.database, signerOf(vault.server));
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

it('an alert is a sentence with links, and is acknowledged where everybody sees it', async () => {
  const { page, open, complaints } = await browser.signIn(tenant, 'ADMIN');
  await open('/portal/alerts');
  await page.getByText('asked for 143 things that do not exist within 10 minutes').waitFor();
  await page.getByText('open', { exact: true }).waitFor();
  await page.getByText('asks for 100 things that do not exist within 10 minutes').waitFor();
  await page.getByText('sees or sends the plaintext of 1,000 tokens within 10 minutes').waitFor();
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByLabel('Handled: rights were changed or the key was revoked').check();
  await browser.chromium.photograph(page, 'acknowledge-alert');
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText('The alert is acknowledged').waitFor();
  await page.getByText('open', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'What happened then' }).click();
  await page.waitForURL(/\/portal\/audit\?.*key_id=/);
  expect(complaints).toEqual([]);
});

it('somebody who may only look reads it, and is offered nothing that fails', async () => {
  const { page, open } = await browser.signIn(tenant, 'READ_ONLY');
  await open('/portal/alerts');
  await page.getByText('Handled: rights were changed').first().waitFor();
  expect(await page.getByRole('button', { name: /acknowledge|found out/i }).count()).toBe(0);
});
