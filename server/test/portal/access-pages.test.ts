import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const number = '4242424242424242';
const rule = (priority: number, container: string, transform: string) => ({
  priority,
  container,
  transform,
  permissions: ['token:read'],
});

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
let readerId: string;
let tokenId: string;
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  tenant = await vault.makeTenant();
  const rules = [rule(1, '/secret/', 'reveal'), rule(2, '/hidden/', 'redact'), rule(3, '/pci/', 'mask')];
  ({ id: readerId } = await createApplication(vault, tenant, { name: 'Reader', permissions: [], rules }));
  tokenId = await storeCard('/pci/');
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

async function storeCard(container: string): Promise<string> {
  const body = {
    type: 'card',
    data: { number, expiration_month: 12, expiration_year: 2031 },
    containers: [container],
  };
  const stored = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  return (stored.body as { id: string }).id;
}

describe('the simulator', () => {
  let auditor: MemberAtBrowser;
  beforeAll(async () => {
    auditor = await browser.signIn(tenant, 'READ_ONLY');
  });
  const simulate = async (token: string) => {
    await auditor.open(`/portal/simulator?application=${readerId}&token=${token}`);
    await auditor.page.getByRole('table', { name: 'Who can read this' }).waitFor();
  };
  const cellsOf = (table: string, row: string) =>
    auditor.page
      .getByRole('table', { name: table })
      .getByRole('row', { name: row })
      .getByRole('cell')
      .allTextContents();

  it('shows which rule decides, the masked token, and who can read it, to somebody who may only look', async () => {
    await simulate(tokenId);
    expect(await cellsOf('Decisions', 'token:read')).toEqual([
      'token:read',
      'Allowed',
      'Masked',
      'Rule 3: mask in /pci/.',
    ]);
    expect(await cellsOf('Decisions', 'token:delete')).toContain('Denied');
    expect(await auditor.page.getByLabel('Masked data').textContent()).toContain('XXXXXXXXXXXX4242');
    expect(await cellsOf('Who can read this', 'Reader')).toContain('Masked');
    expect(await cellsOf('Who can read this', 'reveal')).toContain('Plaintext');
  });

  it('describes plaintext and missing data instead of showing them', async () => {
    await simulate(await storeCard('/secret/'));
    await auditor.page.getByText('Reader would see the data as plaintext, which the portal never shows.').waitFor();
    // An id may contain any four digits.
    const content = (await auditor.page.content()).replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id');
    expect(content).not.toContain('4242');
    await simulate(await storeCard('/hidden/'));
    await auditor.page.getByText('Reader would get the token without its data').waitFor();
    expect(auditor.complaints).toEqual([]);
  });

  it('tries a draft, which stays in the tab and out of the address', async () => {
    const { page, open } = auditor;
    await open('/portal/simulator?application=draft&container=/pci/');
    await page.getByRole('group', { name: 'Rule 1' }).getByText('Plaintext').click();
    await page.getByRole('button', { name: 'Try the draft' }).click();
    await expect.poll(() => cellsOf('Decisions', 'token:read')).toContain('Plaintext');
    expect(page.url()).not.toContain('reveal');
    await page.reload();
    await expect.poll(() => cellsOf('Decisions', 'token:read')).toContain('Plaintext');
    const kept = await page.evaluate('Object.keys(localStorage).join() + JSON.stringify(localStorage)');
    expect(kept).not.toContain('draft');
  });
});

const looks = [
  { colorScheme: 'light', width: 1_400 },
  { colorScheme: 'dark', width: 320 },
] as const;

describe('what is opened on these pages', () => {
  it('is accessible and fits, light on a wide screen and dark on a narrow one', async () => {
    // The portal's policy would also block axe.
    const { page, open } = await browser.signIn(tenant, 'ADMIN', { bypassCSP: true, reducedMotion: 'reduce' });
    const found: unknown[] = [];
    const examine = async (name: string) => {
      for (const { colorScheme, width } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const look = `${name}-${colorScheme}-${width}`;
        found.push(...(await findViolations(page)).map((violation) => ({ look, ...violation })));
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(overflow) > 0) found.push({ look, overflow });
        await browser.chromium.photograph(page, look);
      }
      await page.setViewportSize({ width: 1_400, height: 900 });
    };
    const reader = `/portal/applications/${readerId}`;
    await open('/portal/applications/new');
    await page.getByLabel('Manage the tenant').check();
    await page.getByLabel('Limit it').check();
    await page.getByRole('group', { name: 'Permissions that it can grant' }).waitFor();
    await examine('new-application');
    await open(reader);
    await page.getByRole('link', { name: /^Keys/ }).click();
    await page.getByRole('link', { name: /^Rotate/ }).click();
    await page.getByRole('region', { name: 'Rotation' }).waitFor();
    await examine('rotation');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    await examine('delete-application');
    await open(`${reader}?edit=true`);
    await page.getByRole('group', { name: 'Rule 3' }).getByText('Plaintext', { exact: true }).click();
    await page.getByRole('list', { name: 'What changes' }).waitFor();
    await examine('difference');
    await open('/portal/simulator?application=draft&container=/pci/');
    await examine('simulator-draft');
    expect(found).toEqual([]);
  });
});

async function findViolations(page: Page): Promise<{ rule: string; targets: string[] }[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.addScriptTag({ content: axe.source });
  const options = { runOnly: standards, resultTypes: ['violations', 'passes'] };
  const { violations, passes }: axe.AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
  // An empty page would have no violations either.
  expect(passes.length).toBeGreaterThan(10);
  return violations.map(({ id, nodes }) => ({ rule: id, targets: nodes.map(({ html }) => html) }));
}
