import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/**
 * The limits on the size of a piece. The longer the previous piece took, the smaller the next one is. A response in
 * one-byte chunks makes the parser run some thirty thousand times per read of a socket, which blocked every other
 * request for 0.7 s (measured). The parser therefore gets small pieces, with a turn of the event loop in between.
 */
const pieceBytesMin = 256;
const pieceBytesMax = 4 * 1024;
const turnMs = 1;

/**
 * A connection whose response is passed on in small pieces, so that other requests never wait for long, regardless of
 * its content.
 */
export class SteadyConnection extends Duplex {
  readonly #socket: TLSSocket;
  #pieceBytes = 1024;

  constructor(socket: TLSSocket) {
    // This also limits how much of a response is read ahead. If each chunk is one byte, it is this many chunks.
    super({ readableHighWaterMark: 1024 });
    this.#socket = socket;
    socket.once('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    // After a regular end, the last pieces may still be waiting for a slow reader.
    socket.once('close', () => {
      if (!socket.readableEnded) this.destroy();
    });
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
    const size = Math.min(this.#pieceBytes, Math.max(this.#socket.readableLength, 1));
    const piece: unknown = this.#socket.read(size);
    if (Buffer.isBuffer(piece)) this.#pushPiece(piece);
    else if (!this.#socket.readableEnded) this.#socket.once('readable', () => this.#readPiece());
  }

  /**
   * Pushes a piece and adapts the size of the next. The reader runs during the push, so the measured time includes that
   * of the reader.
   */
  #pushPiece(piece: Buffer): void {
    const startedAt = performance.now();
    this.push(piece);
    const isSlow = performance.now() - startedAt > turnMs;
    this.#pieceBytes = isSlow
      ? Math.max(this.#pieceBytes / 2, pieceBytesMin)
      : Math.min(this.#pieceBytes * 2, pieceBytesMax);
  }
}
