/** How much of each response is not slowed down: an ordinary one is far smaller. */
const unpacedBytes = 256 * 1024;
/** Handling a chunk takes time however small it is, so a single byte counts as this many. */
const chunkCostBytes = 4 * 1024;

/**
 * The rate at which the long responses of one tenant are passed on, in total: destinations that never end
 * must not starve everyone else.
 */
export class AnswerPace {
  readonly #bytesPerSecond: number;
  #freeAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** How long the next chunk of a response has to wait, given the bytes before it. */
  waitMs(chunkBytes: number, bytesBefore: number): number {
    if (bytesBefore < unpacedBytes) return 0;
    const now = performance.now();
    this.#freeAt = Math.max(this.#freeAt, now) + (chunkBytes / this.#bytesPerSecond) * 1_000;
    return this.#freeAt - now;
  }
}

/** What a chunk is counted as. */
export function costOf(chunk: Buffer): number {
  return Math.max(chunk.length, chunkCostBytes);
}
