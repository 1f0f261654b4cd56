import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { patienceMs } from './deadline.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Everything received over the connection. */
  readonly text: string;
}

/**
 * Sends raw bytes that no HTTP client would send, and reads until the server closes the connection. The bytes should
 * therefore request this (`Connection: close`) or otherwise make the server close the connection. Several pieces are
 * sent separately.
 */
export async function sendRaw(url: string, bytes: string | Uint8Array | readonly string[]): Promise<RawResponse> {
  const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('The server neither answered nor closed.')));
    socket.on('connect', () => void writeApart(socket, pieces));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that closes the connection during the request resets it. Everything received before still counts.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve();
      else reject(error);
    });
  });
  return parseAnswer(Buffer.concat(chunks).toString('utf8'));
}

async function writeApart(socket: Socket, pieces: readonly (string | Uint8Array)[]): Promise<void> {
  socket.setNoDelay();
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await setTimeout(50);
    if (socket.writable) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  }
}

/** Returns a request head with its blank line. The caller appends the body. */
export function requestHead(line: string, headers: Readonly<Record<string, string>>): string {
  const all = { host: 'localhost', connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function parseAnswer(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...headerLines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = headerLines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: end < 0 ? '' : text.slice(end + 4),
    text,
  };
}
