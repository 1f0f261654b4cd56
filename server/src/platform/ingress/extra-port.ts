import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * An additional port of a web server. It hands the connections that it accepts to the web server, so that they have the
 * same limits, timeouts and shutdown behaviour as the server's own connections.
 */
export class ExtraPort {
  readonly #listener: Server;

  constructor(receive: (connection: Socket) => void) {
    // The web server uses the same options for its own connections.
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, receive);
  }

  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
    this.#listener.listen({ host, port });
    await once(this.#listener, 'listening');
  }

  addresses(): (AddressInfo | string | null)[] {
    return [this.#listener.address()];
  }

  countConnections(): Promise<number> {
    return new Promise((resolve) => this.#listener.getConnections((_error, count) => resolve(count)));
  }

  /**
   * Stops accepting connections, and resolves when the last one has ended. The caller has to end the open connections.
   */
  async close(): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    await closed;
  }
}
