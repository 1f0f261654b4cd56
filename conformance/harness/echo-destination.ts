import { TestAuthority } from '../../server/test/harness/test-authority.ts';
import { TestResolver } from '../../server/test/harness/test-resolver.ts';
import { type SeenRequest, TlsDestination } from '../../server/test/harness/tls-destination.ts';

const host = 'api.provider.example';

/** The request that the destination received, as it reports it. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A service with real TLS that returns the request it received. A path such as `/status/402` requests that status. */
export class EchoDestination {
  readonly url: string;
  /** The settings that let the proxy call it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #parts: { destination: TlsDestination; resolver: TestResolver; authority: TestAuthority };

  static async start(): Promise<EchoDestination> {
    const [authority, resolver] = await Promise.all([TestAuthority.create(), TestResolver.start()]);
    resolver.set(host, ['127.0.0.1']);
    const destination = await TlsDestination.start(await authority.issue([host]), (socket, request) => {
      const echo = toEcho(request);
      const status = /^\/status\/(\d{3})/.exec(echo.path)?.[1] ?? '200';
      const text = JSON.stringify(echo);
      const head = `HTTP/1.1 ${status} Echo\r\nContent-Type: application/json\r\nX-Echo: yes\r\n`;
      socket.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    });
    return new EchoDestination({ destination, resolver, authority });
  }

  private constructor(parts: { destination: TlsDestination; resolver: TestResolver; authority: TestAuthority }) {
    this.#parts = parts;
    this.url = `https://${host}:${parts.destination.port}`;
    this.settings = {
      STRONGROOM_PROXY_CA: parts.authority.certificate,
      STRONGROOM_PROXY_PRIVATE_RANGES: '127.0.0.0/8',
      STRONGROOM_PROXY_PORTS: String(parts.destination.port),
      STRONGROOM_PROXY_RESOLVERS: parts.resolver.address,
    };
  }

  async stop(): Promise<void> {
    const { destination, resolver, authority } = this.#parts;
    await Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
  }
}

function toEcho({ head, body }: SeenRequest): Echo {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, path, headers: Object.fromEntries(headers) as Record<string, string>, body: body.toString() };
}
