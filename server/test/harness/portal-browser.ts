import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Role } from '../../src/features/members/index.ts';
import { Chromium } from './chromium.ts';
import { inviteTo } from './portal-people.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** A signed-in member of a tenant in a real browser. */
export interface MemberAtBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly email: string;
  /** Console messages of the browser, such as a violated policy. */
  readonly complaints: string[];
  /** Opens a portal page and waits until it has loaded completely. */
  readonly open: (path: string) => Promise<void>;
}

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** The portal in Chromium. The vault's cookies need a trustworthy origin, and localhost is one. */
export class PortalBrowser {
  readonly chromium: Chromium;
  readonly #vault: TestVault;

  static async start(vault: TestVault): Promise<PortalBrowser> {
    return new PortalBrowser(await Chromium.start(), vault);
  }

  private constructor(chromium: Chromium, vault: TestVault) {
    this.chromium = chromium;
    this.#vault = vault;
  }

  get url(): string {
    return this.#vault.server.url.replace('127.0.0.1', 'localhost');
  }

  /** Signs in by accepting an invitation, as a new member does. */
  async signIn(tenant: TestTenant, role: Role, options: ContextOptions = {}): Promise<MemberAtBrowser> {
    const { path, email } = await inviteTo(this.#vault, tenant);
    const { context, page, complaints } = await this.chromium.open(options);
    await page.goto(`${this.url}${path}`);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.waitForURL(`${this.url}/portal/**`);
    await this.#setRole(tenant, email, role);
    const open = async (target: string) => {
      await page.goto(`${this.url}${target}`);
      await settled(page);
    };
    return { context, page, email, complaints, open };
  }

  stop(): Promise<void> {
    return this.chromium.stop();
  }

  async #setRole(tenant: TestTenant, email: string, role: Role): Promise<void> {
    const { owner } = this.#vault.database;
    // The owner of a tenant that was not bootstrapped has no e-mail address and cannot sign in.
    if (role === 'OWNER')
      await owner.query(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'OWNER'`, [tenant.id]);
    await owner.query(
      'update members set role = $3 where tenant_id = $1 and user_id = (select id from users where email = $2)',
      [tenant.id, email, role],
    );
  }
}

/** Waits until the page has a heading and has finished loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.loading, [aria-busy=true]').count()).toBe(0);
}

/** Chooses a tenant in the menu at the top of the navigation. */
export async function chooseTenant(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('group', { name: 'Tenants' });
  await page.getByRole('complementary', { name: 'Navigation' }).getByRole('button').first().click();
  await menu.getByRole('button', { name }).click();
  await page.waitForLoadState();
}
