import { connect, createServer, type Server, type Socket } from 'node:net';

export interface WireRelayOptions {
  /** Changes the parameters that a client sends when it connects. The changed parameters are forwarded. */
  readonly onStartup?: (parameters: Map<string, string>) => void;
  /** After a client has sent a text for which this returns true, nothing from the server reaches it. */
  readonly silences?: (sent: string) => boolean;
  /** Decides which messages from the server reach the client. The type of a message is a letter. */
  readonly passes?: (type: string) => boolean;
  /** The port of a stopped relay to reuse. By default a free port is chosen. */
  readonly port?: number;
}

/** A transparent relay between a client and PostgreSQL that understands their protocol. */
export class WireRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(target: string, options: WireRelayOptions): Promise<WireRelay> {
    const relay = new WireRelay(new URL(target), options);
    await new Promise<void>((resolve) => relay.#server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return relay;
  }

  private constructor(target: URL, { onStartup, silences, passes = () => true }: WireRelayOptions) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          near.destroy();
          far.destroy();
        });
      }
      near.once('data', (chunk) => {
        far.write(onStartup === undefined ? chunk : rewriteStartup(chunk, onStartup));
        near.pipe(far);
      });
      let isSilent = false;
      near.on('data', (chunk) => {
        isSilent ||= silences?.(chunk.toString('latin1')) === true;
      });
      passMessages(far, near, (type) => !isSilent && passes(type));
    });
  }

  urlOf(address: string): string {
    const url = new URL(address);
    const bound = this.#server.address();
    url.hostname = '127.0.0.1';
    url.port = String(typeof bound === 'object' ? bound?.port : 0);
    return url.href;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * Rewrites a start-up packet: the length, the protocol version, names and values that each end with a zero
 * byte, then one more zero byte.
 */
function rewriteStartup(packet: Buffer, onStartup: (parameters: Map<string, string>) => void): Buffer {
  const words = packet.subarray(8).toString('utf8').split('\0').slice(0, -2);
  const parameters = new Map<string, string>();
  for (let index = 0; index < words.length; index += 2) parameters.set(words[index] ?? '', words[index + 1] ?? '');
  onStartup(parameters);
  const body = Buffer.from(`${[...parameters].flat().join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  packet.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

/** Forwards messages. Every message from the server begins with its type and length. */
function passMessages(far: Socket, near: Socket, passes: (type: string) => boolean): void {
  let rest = Buffer.alloc(0);
  far.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const message = rest.subarray(0, end);
      if (passes(String.fromCharCode(message[0] ?? 0))) near.write(message);
      rest = rest.subarray(end);
    }
  });
}
