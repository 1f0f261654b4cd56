import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { builtElements } from '../../src/features/elements/elements-files.ts';
import { createApplication } from './test-application.ts';
import { type TestTenant, TestVault } from './test-vault.ts';

const containers = ['number', 'date', 'code', 'card', 'text', 'copy'];

/** The settings of a vault that differ from those of other tests. */
export type VaultSettings = Parameters<typeof TestVault.start>[1];

interface SiteParts {
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly key: string;
  readonly server: Server;
  readonly pages: Map<string, string>;
}

/** A vault with card fields, and a shop page on another origin that uses them. */
export class ShopSite {
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly key: string;
  readonly elementsUrl: string;
  /** The origin of the shop, which its application allows. */
  readonly origin: string;
  /** Another origin of the same server, which the application does not allow. */
  readonly foreignOrigin: string;
  readonly #server: Server;
  readonly #pages: Map<string, string>;

  static async build(own: VaultSettings = {}): Promise<SiteParts> {
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
    const { key } = await createApplication(vault, tenant, {
      name: 'Shop',
      type: 'public',
      permissions: ['token:create'],
      allowed_origins: [`http://localhost:${portOf(server)}`],
    });
    return { vault, tenant, key, server, pages };
  }

  constructor({ vault, tenant, key, server, pages }: SiteParts) {
    this.vault = vault;
    this.tenant = tenant;
    this.key = key;
    this.origin = `http://localhost:${portOf(server)}`;
    this.foreignOrigin = `http://127.0.0.1:${portOf(server)}`;
    this.#server = server;
    this.#pages = pages;
    this.elementsUrl = vault.server.elementsUrl ?? '';
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

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.vault.stop();
  }
}

function portOf(server: Server): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A server on a port has such an address.
  return (server.address() as AddressInfo).port;
}
