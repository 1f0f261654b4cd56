import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from '../test-authority.ts';
import { type SeenRequest, TlsDestination } from '../tls-destination.ts';

export interface EndpointAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The way in which an endpoint misbehaves: it returns another response, closes the connection, does not respond, never
 * finishes or switches protocols. Undefined if it works normally.
 */
export type Mood =
  | ((request: SeenRequest) => EndpointAnswer)
  | 'hangs-up'
  | 'is-silent'
  | 'never-ends'
  | 'upgrades'
  | undefined;

const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n';

/** A key service at `localhost` over TLS that keeps connections alive, as real ones do. */
export class KeyServiceEndpoint {
  readonly destination: TlsDestination;
  readonly url: string;
  mood: Mood;

  static async start(
    certificate: TestCertificate,
    answer: (request: SeenRequest) => EndpointAnswer,
  ): Promise<KeyServiceEndpoint> {
    const endpoint: { current?: KeyServiceEndpoint } = {};
    const destination = await TlsDestination.start(certificate, (socket, request) => {
      const mood = endpoint.current?.mood;
      if (mood === 'hangs-up') socket.destroy();
      else if (mood === 'never-ends') flood(socket);
      else if (mood === 'upgrades') socket.write(upgrade);
      else if (mood !== 'is-silent') send(socket, (mood ?? answer)(request));
    });
    endpoint.current = new KeyServiceEndpoint(destination);
    return endpoint.current;
  }

  private constructor(destination: TlsDestination) {
    this.destination = destination;
    this.url = `https://localhost:${destination.port}`;
  }

  /** Closes the open connections, as a service does with idle ones. */
  dropConnections(): void {
    for (const socket of this.destination.sockets) socket.destroy();
  }

  stop(): Promise<void> {
    return this.destination.stop();
  }
}

/** Encrypts with AES-256-GCM in the layout that key services commonly use: the nonce first, the tag last. */
export function encryptAsService(key: Buffer, plaintext: Buffer, associatedData: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts, and throws if any input was changed. */
export function decryptAsService(key: Buffer, sealed: Buffer, associatedData: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(associatedData).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

function send(socket: TLSSocket, { status, body, headers = {} }: EndpointAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `HTTP/1.1 ${status} Status\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${further.join('')}\r\n${text}`,
  );
}

function flood(socket: TLSSocket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n');
  const more = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, ' ')));
  };
  socket.on('drain', more);
  more();
}
