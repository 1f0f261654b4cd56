import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseTenant, PortalBrowser, settled } from '../harness/portal-browser.ts';
import { inviteTo } from '../harness/portal-people.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
let production: TestTenant;
let plain: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  [production, plain] = [await vault.makeTenant('production'), await vault.makeTenant()];
  await vault.database.owner.query(`update tenants set name = 'Acme Payments' where id = $1`, [production.id]);
  browser = await PortalBrowser.start(vault);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

it('leads a newcomer to a production tenant through setting up a way, and then in', async () => {
  const { context, page, complaints } = await browser.chromium.open();
  const { path } = await inviteTo(vault, production);
  await page.goto(`${browser.url}${path}`);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('heading', { name: 'Set up a way to sign in' }).waitFor();
  await browser.chromium.photograph(page, 'set-up-a-way');
  // Every other page redirects back.
  await page.goto(`${browser.url}/portal/applications`);
  expect(page.url()).toBe(`${browser.url}/portal/account`);
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.getByLabel('New password, at least 12 characters with letters and digits').waitFor();
  await browser.chromium.photograph(page, 'set-up-a-password');
  expect(complaints).toEqual([]);
  await context.close();
});

it('shows a member of two tenants that one of them needs a way, and works on the other', async () => {
  const { page, context, email, open, complaints } = await browser.signIn(plain, 'ADMIN');
  await vault.database.owner.query(
    `insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from users where email = $2`,
    [production.id, email],
  );
  await open('/portal/');
  await chooseTenant(page, 'Acme Payments');
  await page.getByText('How you have signed in is not enough for Acme Payments.').waitFor();
  await browser.chromium.photograph(page, 'way-required');
  await chooseTenant(page, 'Test');
  await settled(page);
  await chooseTenant(page, 'Acme Payments');
  await page.getByRole('link', { name: 'Continue to your account' }).click();
  await page.getByRole('button', { name: 'Set up a passkey' }).waitFor();
  await browser.chromium.photograph(page, 'set-up-with-two-tenants');
  expect(complaints).toEqual([]);
  await context.close();
});

it('warns before an idle session ends, and ends it', async () => {
  const { page, context, open, complaints } = await browser.signIn(plain, 'ADMIN');
  await page.clock.install();
  await open('/portal/encryption-keys');
  const idleTimes: number[] = [];
  page.on('request', (request) => {
    const idle = request.headers()['strongroom-idle-seconds'];
    if (idle !== undefined) idleTimes.push(Number(idle));
  });
  await page.mouse.move(200, 200);
  await page.clock.runFor('11:00');
  const warning = page.getByRole('alert').filter({ hasText: 'signed out' });
  // The page continuously requests the state of the log, and reports that the user is idle.
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return idleTimes.at(-1);
    })
    .toBeGreaterThanOrEqual(11 * 60);
  expect(await warning.count()).toBe(0);
  await page.clock.runFor('01:00');
  await warning.waitFor();
  await browser.chromium.photograph(page, 'idle-warning');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await page.clock.runFor('00:10');
  expect(await warning.count()).toBe(0);
  await page.clock.runFor('14:10');
  await page.waitForURL(`${browser.url}/portal/sign-in?next=${encodeURIComponent('/portal/encryption-keys')}`);
  expect(complaints).toEqual([]);
  expect(await context.cookies(browser.url)).toEqual([]);
  await context.close();
});

it('tells the vault that somebody is there who types for long', async () => {
  const { page, context, email, open } = await browser.signIn(plain, 'ADMIN');
  await page.clock.install();
  await open('/portal/applications/new');
  const told = page.waitForRequest((request) => request.url().endsWith('/portal/api/me'));
  const name = page.getByLabel('Name').first();
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await name.pressSequentially('a');
    await page.clock.runFor('00:40');
  }
  expect(Number((await told).headers()['strongroom-idle-seconds'])).toBeLessThan(60);
  expect(email).not.toBe('');
  await context.close();
});
