import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';

/** A request as its bytes arrived over the wire. */
export interface SeenRequest {
  /** The request line and headers as Latin-1. */
  readonly head: string;
  readonly body: Buffer;
}

/** Handles a complete request, or a connection as soon as it opens. */
export type Behaviour = (socket: TLSSocket, request: SeenRequest) => void;

/** A TLS server on loopback that records every byte it receives and can send arbitrary bytes. */
export class TlsDestination {
  readonly port: number;
  readonly seen: SeenRequest[] = [];
  /** The number of completed handshakes. */
  connectionCount = 0;
  readonly sockets = new Set<TLSSocket>();
  readonly #server: Server;

  static async start(options: TlsOptions, behaviour: Behaviour = answerOk): Promise<TlsDestination> {
    const server = createServer(options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsDestination(server, behaviour);
  }

  private constructor(server: Server, behaviour: Behaviour) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => {
      this.connectionCount += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      let bytes = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        for (let request = readRequest(bytes); request !== undefined; request = readRequest(bytes)) {
          bytes = bytes.subarray(request.length);
          this.seen.push(request);
          behaviour(socket, request);
        }
      });
    });
  }

  get last(): SeenRequest {
    const request = this.seen.at(-1);
    if (request === undefined) throw new Error('The destination has seen no request.');
    return request;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export function answerOk(socket: TLSSocket): void {
  socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}');
}

/** Returns the headers of a request by lower-case name, with all values of repeated headers. */
export function headersOf({ head }: SeenRequest): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return headers;
}

/** Reads one request. The proxy always sends a length and never chunks, so no other framing is needed. */
function readRequest(bytes: Buffer): (SeenRequest & { readonly length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const bodyLength = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const length = end + 4 + bodyLength;
  return bytes.length < length ? undefined : { head, body: Buffer.from(bytes.subarray(end + 4, length)), length };
}
