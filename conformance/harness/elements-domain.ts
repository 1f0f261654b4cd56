import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TestAuthority } from '../../server/test/harness/test-authority.ts';
import type { VaultAddress } from './vault-address.ts';

/** The domain of a vault's fields as an operator sets it up: a TLS proxy that forwards the Host header. */
export class ElementsDomain {
  readonly #server: Server;
  readonly #authority: TestAuthority;
  readonly #host: string;

  static async start({ url, elementsUrl }: VaultAddress): Promise<ElementsDomain> {
    const authority = await TestAuthority.create();
    const host = new URL(elementsUrl).hostname;
    const server = createServer(await authority.issue([host]), (incoming, outgoing) => {
      const { method, headers, url: path } = incoming;
      // This address is not used elsewhere, because limits count requests by address.
      const forwarded = { ...headers, 'x-forwarded-for': '198.51.100.44', 'x-forwarded-proto': 'https' };
      const asked = request(`${url}${path ?? '/'}`, { method, headers: forwarded, setHost: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      asked.on('error', () => outgoing.destroy());
      incoming.pipe(asked);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ElementsDomain({ server, authority, host });
  }

  private constructor({ server, authority, host }: { server: Server; authority: TestAuthority; host: string }) {
    this.#server = server;
    this.#authority = authority;
    this.#host = host;
  }

  /** Browser flags that resolve the domain, because it does not exist outside the browser. */
  get flags(): readonly string[] {
    const { port } = this.#server.address() as AddressInfo;
    return [`--host-resolver-rules=MAP ${this.#host} 127.0.0.1:${port}`, '--ignore-certificate-errors'];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#authority.remove();
  }
}
