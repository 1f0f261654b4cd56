import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { builtElements } from '../../src/features/elements/elements-files.ts';
import { Chromium, type ChromiumProgram } from './chromium.ts';
import { createApplication } from './test-application.ts';
import { type TestTenant, TestVault } from './test-vault.ts';

/** A page of the shop, opened in a browser. */
export interface ShopPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
  /** Returns the frame of the element that was mounted into the container with this id. */
  readonly frameOf: (id: string) => Promise<Frame>;
}

const containers = ['number', 'date', 'code', 'card', 'text', 'copy'];

/** A vault with card fields, and a shop page on another origin that uses them, in Chromium. */
export class ElementsShop {
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly key: string;
  readonly elementsUrl: string;
  readonly chromium: Chromium;
  /** The origin of the shop, which its application allows. */
  readonly origin: string;
  /** Another origin of the same server, which the application does not allow. */
  readonly foreignOrigin: string;
  readonly #server: Server;
  readonly #pages: Map<string, string>;

  static async start(
    own: Parameters<typeof TestVault.start>[1] = {},
    program?: ChromiumProgram,
  ): Promise<ElementsShop> {
    const elements = own.elements ?? {
      config: { url: 'https://elements.example.com', port: 0 },
      folder: builtElements,
    };
    const vault = await TestVault.start(undefined, { ...own, elements });
    const tenant = await vault.makeTenant();
    const pages = new Map<string, string>();
    const server = createServer((request, response) => {
      const page = pages.get(new URL(request.url ?? '/', 'http://shop').pathname);
      // Browsers also request an icon.
      response.writeHead(page === undefined ? 204 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A server on a port has such an address.
    const { port } = server.address() as AddressInfo;
    const origin = `http://localhost:${port}`;
    const { key } = await createApplication(vault, tenant, {
      name: 'Shop',
      type: 'public',
      permissions: ['token:create'],
      allowed_origins: [origin],
    });
    const chromium = await Chromium.start([], program);
    return new ElementsShop({ vault, tenant, key, chromium, origin, port, server, pages });
  }

  private constructor(parts: {
    vault: TestVault;
    tenant: TestTenant;
    key: string;
    chromium: Chromium;
    origin: string;
    port: number;
    server: Server;
    pages: Map<string, string>;
  }) {
    this.vault = parts.vault;
    this.tenant = parts.tenant;
    this.key = parts.key;
    this.chromium = parts.chromium;
    this.origin = parts.origin;
    this.foreignOrigin = `http://127.0.0.1:${parts.port}`;
    this.#server = parts.server;
    this.#pages = parts.pages;
    this.elementsUrl = parts.vault.server.elementsUrl ?? '';
    this.serve('/', this.document());
  }

  /** Returns a page that has loaded the script, with a container and a label for each element. */
  document(more = ''): string {
    const labelled = containers.map((id) => `<p><label for="${id}">The ${id}</label></p><div id="${id}"></div>`);
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<script src="${this.elementsUrl}/elements/client.js"></script></head><body><main>
<h1>Shop</h1><input id="before" aria-label="Before">${labelled.join('\n')}<input id="after" aria-label="After">${more}</main></body></html>`;
  }

  serve(path: string, page: string): void {
    this.#pages.set(path, page);
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

  async stop(): Promise<void> {
    await this.chromium.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.vault.stop();
  }
}
