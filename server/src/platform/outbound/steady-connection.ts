import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/**
 * An answer in chunks of one byte makes the parser work some thirty thousand times for what one read of a socket brings:
 * that held every other request up for 0.7 s (measured). In pieces of this size, with a turn of the event loop between
 * two, it is a few milliseconds at a time.
 */
const pieceBytes = 1024;

/** A connection whose answer is handed on in small pieces, so that nobody waits for long, whatever is in it. */
export class SteadyConnection extends Duplex {
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket) {
    super({ readableHighWaterMark: 4 * pieceBytes });
    this.#socket = socket;
    socket.once('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    setImmediate(() => this.#readPiece());
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #readPiece(): void {
    if (this.destroyed) return;
    const piece = this.#socket.read(Math.min(pieceBytes, Math.max(this.#socket.readableLength, 1))) as Buffer | null;
    if (piece !== null) this.push(piece);
    else if (!this.#socket.readableEnded) this.#socket.once('readable', () => this.#readPiece());
  }
}
