import puppeteer, { type Browser, type ElementHandle, type Frame, type Page } from 'puppeteer-core';
import { patienceMs } from '../deadline.ts';
import type { Engine, EnginePage, Key, Place } from './engine.ts';

/** Debian's Firefox, driven with Puppeteer through WebDriver BiDi. */
export class FirefoxEngine implements Engine {
  readonly page: EnginePage;
  readonly #browser: Browser;

  static async start(): Promise<FirefoxEngine> {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      headless: true,
      timeout: patienceMs,
      protocolTimeout: patienceMs,
    });
    return new FirefoxEngine(browser, new FirefoxPage(browser, await browser.newPage()));
  }

  private constructor(browser: Browser, page: EnginePage) {
    this.#browser = browser;
    this.page = page;
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }
}

class FirefoxPage implements EnginePage {
  readonly #browser: Browser;
  #page: Page;
  #size = { width: 800, height: 600 };

  constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Opens the page in a new tab. Puppeteer never notices that a tab with frames has moved on to another page. */
  async goto(url: string): Promise<void> {
    const left = this.#page;
    this.#page = await this.#browser.newPage();
    this.#page.setDefaultTimeout(patienceMs);
    await this.#page.setViewport(this.#size);
    await left.close();
    await this.#page.goto(url, { waitUntil: 'domcontentloaded' });
  }

  async evaluate(script: string, frameIn?: string): Promise<unknown> {
    return (await this.#frame(frameIn)).evaluate(script);
  }

  async click(place: Place): Promise<void> {
    await (await this.#find(place)).click();
  }

  async type(place: Place, text: string): Promise<void> {
    await (await this.#find(place)).type(text);
  }

  async press(place: Place, key: Key): Promise<void> {
    await (await this.#find(place)).press(key);
  }

  resize(width: number, height: number): Promise<void> {
    this.#size = { width, height };
    return this.#page.setViewport(this.#size);
  }

  photograph(): Promise<Uint8Array> {
    return this.#page.screenshot();
  }

  async #find({ frameIn, at }: Place): Promise<ElementHandle> {
    const element = await (await this.#frame(frameIn)).waitForSelector(at, { visible: true });
    if (element === null) throw new Error(`There is no ${at}.`);
    return element;
  }

  async #frame(frameIn: string | undefined): Promise<Frame> {
    if (frameIn === undefined) return this.#page.mainFrame();
    const element = await this.#page.waitForSelector(`${frameIn} iframe`);
    const frame = await element?.contentFrame();
    if (frame === null || frame === undefined) throw new Error(`There is no frame in ${frameIn}.`);
    return frame;
  }
}
