import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createSelfSignedCertificate } from '../keyring/certificates/self-signed-certificate.ts';
import type { OwnDestination } from '../outbound/outbound-config.ts';

/** The default host. Names under `localhost` never leave the machine (RFC 6761 §6.3). */
const usualHost = 'echo.localhost';
const address = '127.0.0.1';
const bodyBytesMax = 8 * 1024 * 1024;
const connectionsMax = 64;
const requestTimeoutMs = 30_000;

/**
 * A destination for the proxy on this machine, for `strongroom dev`. It returns the request that it received, so that
 * developers can see what a provider would receive. It keeps and logs nothing. `/status/<code>` responds with that
 * status, and `/masked` hides most of the digits that it received, like the receipt of a provider does.
 */
export class EchoDestination {
  /** The details that the proxy needs to call this destination. */
  readonly destination: OwnDestination;
  readonly #server: Server;

  static async start(host = usualHost): Promise<EchoDestination> {
    const { certificate, privateKey } = await createSelfSignedCertificate(host);
    const server = createServer({
      cert: certificate,
      key: privateKey,
      minVersion: 'TLSv1.2',
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: 1,
    });
    server.maxConnections = connectionsMax;
    server.on('request', (request, response) => void echo(request, response));
    server.listen(0, address);
    await once(server, 'listening');
    return new EchoDestination(server, { host, certificate });
  }

  private constructor(server: Server, { host, certificate }: Pick<OwnDestination, 'host' | 'certificate'>) {
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('The system did not assign a port.');
    this.#server = server;
    this.destination = { host, port: bound.port, address, certificate };
  }

  get url(): string {
    return `https://${this.destination.host}:${this.destination.port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request).catch(() => undefined);
  if (body === undefined) {
    response.destroy();
    return;
  }
  const { method, url = '/', headers } = request;
  const received = toBody(body, headers['content-type']);
  const seen = { method, path: url, headers, body: /^\/masked(?:[/?]|$)/.test(url) ? maskDigits(received) : received };
  response.writeHead(statusFor(url), { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(seen, null, 2));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size > bodyBytesMax) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns JSON parsed, and everything else as text. */
function toBody(bytes: Buffer, contentType = ''): unknown {
  const text = bytes.toString('utf8');
  if (!/^application\/(?:[a-z.]+\+)?json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Masks texts that consist of digits. A card number keeps its first six and last four digits, and other texts keep
 * none.
 */
function maskDigits(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'string' || !/^\d+$/.test(member)) return member;
    const hidden = 'X'.repeat(member.length);
    return member.length < 12 ? hidden : `${member.slice(0, 6)}${hidden.slice(10)}${member.slice(-4)}`;
  });
  const masked: unknown = JSON.parse(text);
  return masked;
}

function statusFor(path: string): number {
  return Number(/^\/status\/([2-5]\d\d)(?:[/?]|$)/.exec(path)?.[1] ?? 200);
}
