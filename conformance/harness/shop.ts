import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright-core';
import { Chromium } from '../../server/test/harness/chromium.ts';
import { makeApplication, type MadeApplication } from './make-application.ts';
import { bundle, type PublishedPackage } from './published-package.ts';
import { ShopPage } from './shop-page.ts';
import type { VaultAddress } from './vault-address.ts';

interface Opening {
  /**
   * The origin from which the page loads the fields' script before the package. If absent, the package loads its own
   * script.
   */
  readonly scriptFrom?: string;
}

/** A shop on its own origin whose pages use a published package, and a browser that visits it. */
export class Shop {
  readonly origin: string;
  /** The public application of the shop, which allows its origin. */
  readonly key: string;
  readonly #chromium: Chromium;
  readonly #server: Server;
  readonly #files: Map<string, string>;

  static async start(
    vault: VaultAddress,
    packages: readonly PublishedPackage[],
    flags: readonly string[] = [],
  ): Promise<Shop> {
    const files = new Map<string, string>();
    for (const one of packages) files.set(`/${one.name}.js`, await bundle(one));
    const server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '/');
      const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
      const file = files.get(path);
      // Browsers also request an icon.
      response.writeHead(file === undefined ? 204 : 200, { 'content-type': `${type}; charset=utf-8` }).end(file);
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const permissions = ['token:create', 'token:update', 'token-intent:create'];
    const application = await makeApplication(vault, { type: 'public', permissions, allowed_origins: [origin] });
    return new Shop({ origin, application, server, files, chromium: await Chromium.start(flags) });
  }

  private constructor(parts: {
    origin: string;
    application: MadeApplication;
    server: Server;
    files: Map<string, string>;
    chromium: Chromium;
  }) {
    this.origin = parts.origin;
    this.key = parts.application.key;
    this.#chromium = parts.chromium;
    this.#server = parts.server;
    this.#files = parts.files;
  }

  /** Opens a page and waits until it has loaded the package. */
  async visit({ name }: PublishedPackage, { scriptFrom }: Opening = {}): Promise<ShopPage> {
    const script = scriptFrom === undefined ? '' : `<script src="${scriptFrom}/elements/client.js"></script>`;
    const path = `/${name}${scriptFrom === undefined ? '' : ' after the script'}`;
    this.#files.set(
      path,
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${script}</head>
<body><h1>Shop</h1><script src="/${encodeURIComponent(name)}.js"></script></body></html>`,
    );
    const opened = await this.#chromium.open({
      permissions: ['clipboard-read', 'clipboard-write'],
      ignoreHTTPSErrors: true,
    });
    const hosts = await keepToLoopback(opened.context);
    await opened.page.goto(`${this.origin}${encodeURI(path)}`);
    return new ShopPage({ page: opened.page, complaints: opened.complaints, hosts, key: this.key });
  }

  async stop(): Promise<void> {
    await this.#chromium.stop();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const loopback = new Set(['localhost', '127.0.0.1', 'elements.shop.example']);

/** Blocks all requests that would leave this machine, and returns the hosts that pages have requested. */
async function keepToLoopback(context: BrowserContext): Promise<ReadonlySet<string>> {
  const hosts = new Set<string>();
  context.on('request', (request) => hosts.add(new URL(request.url()).hostname));
  await context.route(
    ({ hostname }) => !loopback.has(hostname),
    (route) => route.abort(),
  );
  return hosts;
}
