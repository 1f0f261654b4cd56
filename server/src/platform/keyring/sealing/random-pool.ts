import { randomFillSync } from 'node:crypto';

const piecesAtOnce = 128;

/**
 * Provides random bytes in pieces of one length. Generating many pieces at once costs as much as generating one. No
 * piece is used twice.
 */
export class RandomPool {
  readonly #length: number;
  #pool = Buffer.alloc(0);
  #at = 0;

  constructor(length: number) {
    this.#length = length;
  }

  take(): Buffer {
    if (this.#at === this.#pool.length) {
      this.#pool = randomFillSync(Buffer.alloc(this.#length * piecesAtOnce));
      this.#at = 0;
    }
    const piece = this.#pool.subarray(this.#at, this.#at + this.#length);
    this.#at += this.#length;
    return piece;
  }
}
