import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Role } from '../../src/features/members/index.ts';
import { Chromium } from './chromium.ts';
import { inviteTo } from './portal-people.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** A member of a tenant at a real browser, signed in. */
export interface MemberAtBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly email: string;
  /** What the browser complained about in its console, such as a violated policy. */
  readonly complaints: string[];
  /** Opens a page of the portal and waits until it has everything. */
  readonly open: (path: string) => Promise<void>;
}

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** The portal in Chromium. Cookies of the vault need a trustworthy origin, which localhost is. */
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

  /** Accepts an invitation, as a newcomer does. */
  async signIn(tenant: TestTenant, role: Role, options: ContextOptions = {}): Promise<MemberAtBrowser> {
    const { path, email } = await inviteTo(this.#vault, tenant);
    const { context, page, complaints } = await this.chromium.open(options);
    await page.goto(`${this.url}${path}`);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.waitForURL(`${this.url}/portal/**`);
    await this.#vault.database.owner.query(
      'update members set role = $3 where tenant_id = $1 and user_id = (select id from users where email = $2)',
      [tenant.id, email, role],
    );
    const open = async (target: string) => {
      await page.goto(`${this.url}${target}`);
      await page.waitForLoadState('networkidle');
    };
    return { context, page, email, complaints, open };
  }

  stop(): Promise<void> {
    return this.chromium.stop();
  }
}
