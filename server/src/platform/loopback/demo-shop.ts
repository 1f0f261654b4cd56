import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { membersOf } from '../../core/objects/members-of.ts';
import { LoopbackClient } from './loopback-client.ts';
import type { ClientScript, ShopFiles } from './shop-files.ts';
import { type ShopKeys, ShopRefusal, ShopTill } from './shop-till.ts';

export interface DemoShopParts {
  readonly port: number;
  readonly files: ShopFiles;
  readonly client: ClientScript;
  /** The vault's API, which the shop calls like any client. */
  readonly vaultUrl: string;
  readonly elementsUrl: string;
  /** The destination to which the proxy sends charges. */
  readonly providerUrl: string;
  readonly keys: ShopKeys & { readonly public: string };
}

interface Served {
  readonly type: string;
  readonly content: string | Buffer;
}
type Action = (body: Readonly<Record<string, unknown>>) => Promise<object>;

const bodyBytesMax = 10_000;
const connectionsMax = 64;
const requestTimeoutMs = 30_000;

/** A shop on this machine whose page collects cards with the vault's card fields, for `strongroom dev`. */
export class DemoShop {
  readonly url: string;
  readonly #server: Server;
  readonly #vault: LoopbackClient;
  readonly #policy: string;
  readonly #files: ReadonlyMap<string, Served>;
  readonly #actions: ReadonlyMap<string, Action>;

  static async start(parts: DemoShopParts): Promise<DemoShop> {
    const shop = new DemoShop(parts);
    shop.#server.listen(parts.port, '127.0.0.1');
    await once(shop.#server, 'listening');
    return shop;
  }

  private constructor({ port, files, client, vaultUrl, elementsUrl, providerUrl, keys }: DemoShopParts) {
    this.url = `http://localhost:${port}`;
    this.#vault = new LoopbackClient(vaultUrl);
    this.#policy = [
      `default-src 'none'`,
      `script-src 'self' ${elementsUrl}`,
      `style-src 'self'`,
      `font-src 'self'`,
      'img-src data:',
      `connect-src 'self' ${elementsUrl}`,
      `frame-src ${elementsUrl}`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ].join('; ');
    this.#files = new Map<string, Served>([
      ['/', { type: 'text/html; charset=utf-8', content: files.page({ client, publicKey: keys.public }) }],
      ['/shop.js', { type: 'text/javascript; charset=utf-8', content: files.script }],
      ['/shop.css', { type: 'text/css; charset=utf-8', content: files.style }],
      ['/inter.woff2', { type: 'font/woff2', content: files.typeface }],
    ]);
    const till = new ShopTill(this.#vault, { keys, providerUrl });
    this.#actions = new Map<string, Action>([
      ['/sessions/pay', (body) => till.letPay(body)],
      ['/sessions/show', (body) => till.letShow(body)],
      ['/orders', (body) => till.takeOrder(body)],
    ]);
    this.#server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs });
    this.#server.maxConnections = connectionsMax;
    this.#server.on('request', (request, response) => void this.#serve(request, response));
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#vault.close();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    const file = this.#files.get(url);
    const action = this.#actions.get(url);
    // A different host name for this address would belong to another site, which must not act as this one.
    if (`http://${headers.host}` !== this.url) sendJson(response, 421, { detail: `This shop is at ${this.url}.` });
    else if (method === 'GET' && file !== undefined) {
      response.setHeader('content-security-policy', this.#policy);
      response.setHeader('referrer-policy', 'no-referrer');
      response.setHeader('content-type', file.type);
      response.end(file.content);
    } else if (method === 'POST' && action !== undefined && headers.origin === this.url)
      await act(request, response, action);
    else sendJson(response, 404, { detail: 'There is nothing here.' });
  }
}

async function act(request: IncomingMessage, response: ServerResponse, action: Action): Promise<void> {
  try {
    sendJson(response, 200, await action(membersOf(JSON.parse(await readText(request)))));
  } catch (error) {
    const detail = error instanceof ShopRefusal ? error.message : 'The shop could not do that.';
    sendJson(response, 422, { detail });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > bodyBytesMax) throw new ShopRefusal('The request is too large.');
  }
  return text;
}

/**
 * Returns the current script of the card fields with its hash, like the build of a shop would look them up. Returns
 * undefined if the card fields have not been built.
 */
export async function findClientScript(elementsUrl: string): Promise<ClientScript | undefined> {
  const elements = new LoopbackClient(elementsUrl);
  try {
    const { status, body } = await elements.ask({ method: 'GET', path: '/elements/manifest.json' });
    if (status !== 200) return undefined;
    const { version, files } = membersOf(body);
    const url = `${elementsUrl}/elements/${String(version)}/client.js`;
    return { url, integrity: String(membersOf(files)['client.js']) };
  } finally {
    elements.close();
  }
}
