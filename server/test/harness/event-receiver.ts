import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { VaultEvent } from '../../src/core/events/event-envelope.ts';

/** A request as an endpoint received it. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
  readonly events: readonly VaultEvent[];
}

export interface ReceiverResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
/** `hang` never responds, and `reset` ends the connection. */
export type Reaction = ReceiverResponse | 'hang' | 'reset';

/** An HTTPS server on loopback that keeps every message, and responds as a test wants it to. */
export class EventReceiver {
  readonly port: number;
  readonly messages: ReceivedMessage[] = [];
  /** How the receiver responds. It is called when a message has arrived. */
  react: (message: ReceivedMessage) => Reaction | Promise<Reaction> = () => ({ status: 204 });
  readonly #server: Server;

  static async start(certificate: {
    readonly key: string | Buffer;
    readonly cert: string | Buffer;
  }): Promise<EventReceiver> {
    const server = createServer({ key: certificate.key, cert: certificate.cert });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EventReceiver(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { url = '', headers } = request;
        const message = { path: url, headers, body, at: Date.now(), events: eventsOf(body) };
        this.messages.push(message);
        void Promise.resolve(this.react(message)).then((reaction) => {
          if (reaction === 'hang') return;
          if (reaction === 'reset') request.socket.destroy();
          else response.writeHead(reaction.status, reaction.headers).end(reaction.body);
        });
      });
    });
  }

  /** All events in the order in which they arrived, including those that were refused. */
  get events(): VaultEvent[] {
    return this.messages.flatMap(({ events }) => events);
  }

  /** The messages that arrived at a path. */
  at(path: string): ReceivedMessage[] {
    return this.messages.filter((message) => message.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function eventsOf(body: string): VaultEvent[] {
  // A batch of a log stream is not JSON as a whole.
  if (!isJson(body)) return [];
  const { event, events } = JSON.parse(body) as { readonly event?: VaultEvent; readonly events?: VaultEvent[] };
  return events ?? (event === undefined ? [] : [event]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
