import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A relay between a client and a server on loopback that records what the server sends. */
export class RecordingRelay {
  readonly url: string;
  /** The headers and bodies of all responses. */
  readonly responses: string[] = [];
  readonly #server: Server;

  static async start(target: string): Promise<RecordingRelay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RecordingRelay(server, new URL(target).port);
  }

  private constructor(server: Server, targetPort: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (asked, response) => {
      const { method, url: path, headers } = asked;
      const forwarded = request({ host: '127.0.0.1', port: targetPort, method, path, headers }, (answer) => {
        void readBytes(answer).then((body) => {
          this.responses.push(`${JSON.stringify(answer.headers)} ${body.toString('utf8')}`);
          response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
        });
      });
      asked.pipe(forwarded);
    });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
