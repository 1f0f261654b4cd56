import type { ElementHandle, Frame, Page } from 'playwright-core';
import { Chromium } from '../chromium.ts';
import type { Engine, EnginePage, Key, Place } from './engine.ts';

/** Chromium, driven with Playwright. */
export class ChromiumEngine implements Engine {
  readonly page: EnginePage;
  readonly #chromium: Chromium;

  static async start(): Promise<ChromiumEngine> {
    const chromium = await Chromium.start();
    const { page } = await chromium.open();
    return new ChromiumEngine(chromium, new ChromiumPage(page));
  }

  private constructor(chromium: Chromium, page: EnginePage) {
    this.#chromium = chromium;
    this.page = page;
  }

  stop(): Promise<void> {
    return this.#chromium.stop();
  }
}

class ChromiumPage implements EnginePage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async goto(url: string): Promise<void> {
    await this.#page.goto(url);
  }

  async evaluate(script: string, frameIn?: string): Promise<unknown> {
    return (await this.#frame(frameIn)).evaluate<unknown>(script);
  }

  async click(place: Place): Promise<void> {
    await (await this.#find(place)).click();
  }

  async type(place: Place, text: string): Promise<void> {
    const element = await this.#find(place);
    await element.focus();
    const [first = '', ...others] = text.split('\t');
    await this.#page.keyboard.type(first);
    for (const part of others) {
      await this.#page.keyboard.press('Tab');
      await this.#page.keyboard.type(part);
    }
  }

  async press(place: Place, key: Key): Promise<void> {
    await (await this.#find(place)).press(key);
  }

  resize(width: number, height: number): Promise<void> {
    return this.#page.setViewportSize({ width, height });
  }

  photograph(): Promise<Uint8Array> {
    return this.#page.screenshot();
  }

  async #find({ frameIn, at }: Place): Promise<ElementHandle> {
    return (await this.#frame(frameIn)).waitForSelector(at);
  }

  async #frame(frameIn: string | undefined): Promise<Frame> {
    if (frameIn === undefined) return this.#page.mainFrame();
    const frame = await (await this.#page.waitForSelector(`${frameIn} iframe`)).contentFrame();
    if (frame === null) throw new Error(`There is no frame in ${frameIn}.`);
    return frame;
  }
}
