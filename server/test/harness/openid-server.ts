import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import type { OpenidConfig } from '../../src/platform/outbound/openid-config.ts';

const clientSecret = 'between the vault and the provider';

/** A real OpenID provider on loopback. Its form accepts any name without a password. */
export class OpenidServer {
  readonly config: Pick<OpenidConfig, 'issuer' | 'clientId' | 'clientSecret' | 'name'>;
  readonly #server: Server;

  static async start(port: number, redirectUri: string): Promise<OpenidServer> {
    // The host differs from the vault's, so that a browser treats them as two sites.
    const issuer = `http://127.0.0.1:${port}`;
    const provider = new Provider(issuer, {
      clients: [{ client_id: 'strongroom', client_secret: clientSecret, redirect_uris: [redirectUri] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      scopes: ['openid', 'email'],
      pkce: { required: () => true },
      cookies: { keys: ['for tests'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, email: `${id}@example.com`, email_verified: true }),
      }),
    });
    const server = createServer((request, response) => void provider.callback()(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new OpenidServer(server, issuer);
  }

  private constructor(server: Server, issuer: string) {
    this.#server = server;
    this.config = { issuer, clientId: 'strongroom', clientSecret: new Sensitive(clientSecret), name: 'Acme login' };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
