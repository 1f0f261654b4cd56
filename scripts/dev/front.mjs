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
/** The element that the portal renders into. It tells the portal's page from other pages of the vault. */
const portalElement = '<div id="portal">';

/**
 * One address for the portal with hot reload and the vault behind it. With a single origin, the vault's cookies,
 * sign-in links, redirects and checks for the same origin work as they are.
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

  /** The watcher of Vite, for other folders too. */
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
      if (request.url === '/shop') response.writeHead(302, { location: this.#vault.ready.shop_url }).end();
      else await this.#forward(request, response);
    } catch (error) {
      if (!response.headersSent) response.writeHead(503, { 'content-type': 'text/plain' });
      response.end(`${error.message}\n`);
    }
  }

  async #forward(request, response) {
    const { method, url, headers } = request;
    const forwarded = ask({ host, port: this.#vault.port, method, path: url, headers });
    const [, answer] = await Promise.all([
      pipeline(request, forwarded),
      once(forwarded, 'response').then(([it]) => this.#answer(it, request, response)),
    ]);
    return answer;
  }

  /** Passes on the vault's response. Its session checks and headers also hold for the portal's page from source. */
  async #answer(answer, request, response) {
    const { statusCode, headers } = answer;
    const isPage = request.url.startsWith('/portal') && headers['content-type']?.startsWith('text/html');
    if (!isPage) {
      response.writeHead(statusCode, headers);
      await pipeline(answer, response);
      return;
    }
    const page = await text(answer);
    const shown = page.includes(portalElement) ? await this.#renderPortal(request.url) : page;
    response.writeHead(statusCode, { ...headers, 'content-length': Buffer.byteLength(shown) }).end(shown);
  }

  async #renderPortal(url) {
    const source = await readFile(path.join(this.#root, 'portal/index.html'), 'utf8');
    return this.#vite.transformIndexHtml(url, source);
  }
}

/** Starts Vite inside the server. On its own it would end this process at SIGTERM, before the vault has stopped. */
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
      // The portal's policy forbids what the overlay is made of. Errors are in the terminal and the browser's console.
      hmr: { server, overlay: false },
      // The data of the vault may be in the repository, which Vite would serve as a whole.
      fs: { allow: [folder, path.join(root, 'server/src/core'), path.join(root, 'node_modules')] },
    },
  });
}
