import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { Chromium, type ChromiumProgram } from './chromium.ts';
import { ShopSite, type VaultSettings } from './shop-site.ts';

/** A page of the shop, opened in a browser. */
export interface ShopPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
  /** Returns the frame of the element that was mounted into the container with this id. */
  readonly frameOf: (id: string) => Promise<Frame>;
}

/** The shop in Chromium. */
export class ElementsShop extends ShopSite {
  readonly chromium: Chromium;

  static async start(own: VaultSettings = {}, program?: ChromiumProgram): Promise<ElementsShop> {
    return new ElementsShop(await ShopSite.build(own), await Chromium.start([], program));
  }

  private constructor(parts: ConstructorParameters<typeof ShopSite>[0], chromium: Chromium) {
    super(parts);
    this.chromium = chromium;
  }

  /** Opens a page and defines `key` in its global scope. */
  async open(
    { path = '/', origin = this.origin }: { readonly path?: string; readonly origin?: string } = {},
    options: NonNullable<Parameters<Browser['newContext']>[0]> = {},
  ): Promise<ShopPage> {
    const opened = await this.chromium.open(options);
    const { page } = opened;
    await page.goto(`${origin}${path}`);
    await page.evaluate(`globalThis.key = ${JSON.stringify(this.key)}`);
    const frameOf = async (id: string) => {
      const handle = await page.waitForSelector(`#${id} iframe`);
      const frame = await handle.contentFrame();
      if (frame === null) throw new Error(`There is no frame in #${id}.`);
      return frame;
    };
    return { ...opened, frameOf };
  }

  override async stop(): Promise<void> {
    await this.chromium.stop();
    await super.stop();
  }
}
