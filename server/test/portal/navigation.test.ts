import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let browser: PortalBrowser;
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

/** Returns the label and the path of each page in the navigation, below the label of its group. */
async function readNavigation(page: Page): Promise<object[]> {
  const groups = await page.getByRole('navigation', { name: 'Main' }).getByRole('list').all();
  return Promise.all(
    groups.map(async (group) => {
      const links = await group.getByRole('link').all();
      const items = links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]);
      return { group: await group.getAttribute('aria-labelledby'), items: await Promise.all(items) };
    }),
  );
}

describe('the navigation', () => {
  it('is the same on pages that the vault renders', async () => {
    const { page, context, complaints, open } = await browser.signIn(await vault.makeTenant(), 'READ_ONLY');
    await open('/portal/settings');
    const ofPortal = await readNavigation(page);
    await open('/portal/account');
    const lists = 'portal/src/pages/frame/places.ts and server/src/features/portal/frame/places.ts';
    expect(await readNavigation(page), `${lists} have to list the same pages.`).toEqual(ofPortal);
    expect(ofPortal.length).toBeGreaterThan(2);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
