import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Chromium } from './chromium.ts';
import { inviteTo } from './portal-people.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** A member who is signed in, at a browser of their own. */
export interface PortalBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly email: string;
  readonly complaints: readonly string[];
  /** Opens a page of the portal and waits until everything on it has been loaded. */
  readonly visit: (path: string) => Promise<void>;
}

/** As in the address bar: a browser trusts this name without a certificate. */
export function originOf(vault: TestVault): string {
  return `http://localhost:${new URL(vault.server.url).port}`;
}

export async function openPortal(
  chromium: Chromium,
  vault: TestVault,
  tenant: TestTenant,
  role: 'OWNER' | 'ADMIN' | 'READ_ONLY',
): Promise<PortalBrowser> {
  const { path, email } = await inviteTo(vault, tenant);
  const { context, page, complaints } = await chromium.open();
  await page.goto(`${originOf(vault)}${path}`);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.waitForURL(`${originOf(vault)}/portal/**`);
  await setRole(vault, tenant, email, role);
  const visit = async (to: string) => {
    await page.goto(`${originOf(vault)}${to}`);
    await settled(page);
  };
  return { context, page, email, complaints, visit };
}

/** Waits until the page has a heading and nothing is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.loading, [aria-busy=true]').count()).toBe(0);
}

async function setRole(vault: TestVault, tenant: TestTenant, email: string, role: string): Promise<void> {
  // The owner of a tenant that nobody bootstrapped has no e-mail address and no way to sign in.
  if (role === 'OWNER') {
    await vault.database.owner.query(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'OWNER'`, [
      tenant.id,
    ]);
  }
  await vault.database.owner.query(
    'update members set role = $3 where tenant_id = $1 and user_id = (select id from users where email = $2)',
    [tenant.id, email, role],
  );
}
