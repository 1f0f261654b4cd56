import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's Chromium, without a screen. What it saw is kept in the folder that SCREENSHOT_DIRECTORY names, or a new one. */
export class Chromium {
  readonly #browser: Browser;
  readonly #folder: string;

  static async start(): Promise<Chromium> {
    const folder = process.env['SCREENSHOT_DIRECTORY'] ?? (await mkdtemp(path.join(tmpdir(), 'strongroom-screens-')));
    await mkdir(folder, { recursive: true });
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, timeout: 30_000 });
    return new Chromium(browser, folder);
  }

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  /** Somebody with a browser of their own; whatever a page complains about in the console ends up in `complaints`. */
  async open(
    options: NonNullable<Parameters<Browser['newContext']>[0]> = {},
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { context, page, complaints };
  }

  async photograph(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: path.join(this.#folder, `${name}.png`), fullPage: true });
  }

  async stop(): Promise<void> {
    await this.#browser.close();
  }
}

/** An authenticator inside the browser, which makes sure who uses it until it is told not to. */
export async function addAuthenticator(
  context: BrowserContext,
  page: Page,
): Promise<{ stopVerifying(): Promise<void> }> {
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
  };
}
