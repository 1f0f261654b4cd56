import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An OpenID provider that claims whatever a test wants about the last authentication, regardless of the request. The
 * test acts as the browser: nothing is typed, and every code is valid for the nonce that was set before.
 */
export class CarelessOpenidServer {
  readonly issuer: string;
  nonce = '';
  subject = '';
  claims: Readonly<Record<string, unknown>> = {};
  readonly #server: Server;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  static async start(): Promise<CarelessOpenidServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CarelessOpenidServer(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      const body = request.url === '/token' ? this.#grant() : this.#describe();
      request.resume();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #describe(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/auth`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  #grant(): object {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      aud: 'strongroom',
      sub: this.subject,
      nonce: this.nonce,
      iat: now,
      exp: now + 300,
      ...this.claims,
    };
    const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(text), this.#keys.privateKey).toString('base64url');
    return { access_token: 'x', token_type: 'Bearer', id_token: `${text}.${signature}` };
  }
}
