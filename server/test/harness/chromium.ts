import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { patienceMs } from './deadline.ts';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The headless shell is Chromium without its browser interface, which would double the cost of a page. */
export type ChromiumProgram = 'chromium' | 'chromium-headless-shell';

/** Debian's Chromium, running headless. */
export class Chromium {
  readonly #browser: Browser;

  static async start(
    more: readonly string[] = [],
    program: ChromiumProgram = 'chromium-headless-shell',
  ): Promise<Chromium> {
    const args = [...flags, ...more];
    const browser = await chromium.launch({ executablePath: `/usr/bin/${program}`, args, timeout: patienceMs });
    return new Chromium(browser);
  }

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens a page in a new browser context. Console errors and warnings are collected in `complaints`. */
  async open(
    options: NonNullable<Parameters<Browser['newContext']>[0]> = {},
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { context, page, complaints };
  }

  /** Saves a screenshot if SCREENSHOT_DIRECTORY is set. */
  async photograph(page: Page, name: string): Promise<void> {
    const folder = process.env['SCREENSHOT_DIRECTORY'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  }

  async stop(): Promise<void> {
    await this.#browser.close();
  }
}

/** Adds a virtual authenticator to the browser. It verifies its user until `stopVerifying` is called. */
export async function addAuthenticator(
  context: BrowserContext,
  page: Page,
): Promise<{ stopVerifying(): Promise<void>; remove(): Promise<void> }> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    stopVerifying: async () => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    },
    remove: async () => {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await session.detach();
    },
  };
}
