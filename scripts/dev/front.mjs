import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request as ask } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';

const host = '127.0.0.1';
const usualPort = 5173;
/** The path of the portal's files. Vite serves them; the vault serves everything else. */
const filePath = '/portal/app/';
/** The element that the portal renders into. No other page of the vault contains it. */
const portalElement = '<div id="portal">';

/**
 * One address for the portal with hot reload and the vault behind it. With a single origin, the vault's cookies,
 * sign-in links, redirects and same-origin checks work unchanged.
 */
export class Front {
  url;
  #root;
  #vault;
  #server;
  #vite;

  static async start({ root, vault, port }) {
    const front = new Front(root, vault);
    await front.#listen(port);
    return front;
  }

  constructor(root, vault) {
    this.#root = root;
    this.#vault = vault;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Vite's file watcher. Other folders can be added to it. */
  get watcher() {
    return this.#vite.watcher;
  }

  async stop() {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#vite.close();
  }

  async #listen(port) {
    this.#vite = await startVite(this.#root, this.#server);
    this.#server.listen(port ?? usualPort, host);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      if (port !== undefined || error.code !== 'EADDRINUSE') throw error;
      this.#server.listen(0, host);
      await once(this.#server, 'listening');
    }
    this.url = `http://localhost:${this.#server.address().port}`;
  }

  async #serve(request, response) {
    if (request.url.startsWith(filePath)) {
      this.#vite.middlewares(request, response);
      return;
    }
    try {
      await this.#vault.untilReady();
      const { shop_url: shop } = this.#vault.ready;
      if (request.url === '/shop' && shop !== undefined) response.writeHead(302, { location: shop }).end();
      else await this.#forward(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(503, { 'content-type': 'text/plain' }).end(`${error.message}\n`);
    }
  }

  async #forward(request, response) {
    const { method, url, headers } = request;
    const forwarded = ask({ host, port: this.#vault.port, method, path: url, headers });
    // The vault may respond before it has read the whole body, and then close the connection.
    pipeline(request, forwarded).catch(() => undefined);
    forwarded.on('error', () => undefined);
    const [received] = await once(forwarded, 'response');
    await this.#respond(received, request, response);
  }

  /**
   * Forwards the vault's response. It replaces only the content of the portal's page, so the vault's session check and
   * security headers still apply.
   */
  async #respond(received, request, response) {
    const { statusCode, headers } = received;
    const isPage = request.url.startsWith('/portal') && headers['content-type']?.startsWith('text/html');
    if (!isPage) {
      response.writeHead(statusCode, headers);
      await pipeline(received, response);
      return;
    }
    const page = await text(received);
    const shown = page.includes(portalElement) ? await this.#renderPortal(request.url) : page;
    response.writeHead(statusCode, { ...headers, 'content-length': Buffer.byteLength(shown) }).end(shown);
  }

  async #renderPortal(url) {
    const source = await readFile(path.join(this.#root, 'portal/index.html'), 'utf8');
    const page = await this.#vite.transformIndexHtml(url, source);
    // Vite prefixes every path in the page, but the icon is served by the vault.
    return page.replace(`${filePath}portal/assets/`, '/portal/assets/');
  }
}

/**
 * Starts Vite inside the given server. If Vite ran its own server, it would exit this process on SIGTERM before the
 * vault has stopped.
 */
async function startVite(root, server) {
  const folder = path.join(root, 'portal');
  const { resolve } = createRequire(path.join(folder, 'package.json'));
  const vite = await import(pathToFileURL(resolve('vite')).href);
  return vite.createServer({
    root: folder,
    appType: 'custom',
    clearScreen: false,
    server: {
      middlewareMode: true,
      // The portal's content security policy blocks the overlay. Errors are shown in the terminal and the console.
      hmr: { server, overlay: false },
      // By default, Vite would serve the whole repository, including the keys in the vault's data directory.
      fs: {
        allow: [
          folder,
          path.join(root, 'server/src/core'),
          path.join(root, 'server/assets/vendor'),
          path.join(root, 'node_modules'),
        ],
      },
    },
  });
}
