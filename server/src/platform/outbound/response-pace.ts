/** The number of bytes at the start of each response that are not slowed down. Ordinary responses are far smaller. */
const unpacedBytes = 256 * 1024;
/** The minimum cost of a chunk, in bytes. Handling even the smallest chunk takes time. */
const chunkCostBytes = 4 * 1024;

/**
 * The combined rate at which the long responses of one tenant are passed on. Endless responses must not starve other
 * requests.
 */
export class ResponsePace {
  readonly #bytesPerSecond: number;
  #freeAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Returns how long the next chunk of a response has to wait, given the number of bytes that preceded it. */
  waitMs(chunkBytes: number, bytesBefore: number): number {
    if (bytesBefore < unpacedBytes) return 0;
    const now = performance.now();
    this.#freeAt = Math.max(this.#freeAt, now) + (chunkBytes / this.#bytesPerSecond) * 1_000;
    return this.#freeAt - now;
  }
}

/** Returns the number of bytes that a chunk counts as. */
export function costOf(chunk: Buffer): number {
  return Math.max(chunk.length, chunkCostBytes);
}
