import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** An internal service that must not be reachable. It counts connections over IPv4 and IPv6. */
export class CanaryListener {
  readonly port: number;
  connectionCount = 0;
  readonly #server: Server;

  static async start(): Promise<CanaryListener> {
    const server = createServer();
    server.listen(0, '::');
    await once(server, 'listening');
    return new CanaryListener(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.connectionCount += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
  }

  async stop(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}
