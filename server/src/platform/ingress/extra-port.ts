import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * Another port of a web server. It hands over the connections that it accepts, so that everything that holds for the
 * connections of the server itself holds for these: limits, timeouts, and how they end.
 */
export class ExtraPort {
  readonly #listener: Server;

  constructor(receive: (connection: Socket) => void) {
    // As the web server opens its own.
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

  /** Takes no new connections, and resolves when the last one has ended: somebody else has to end them. */
  async close(): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    await closed;
  }
}
