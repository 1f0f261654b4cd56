/** What passes of each answer without being slowed down: an ordinary one is far smaller. */
const unpacedBytes = 256 * 1024;
/** Handling a chunk takes time however small it is, so one of a single byte counts as this many. */
const chunkCostBytes = 4 * 1024;

/**
 * How fast the long answers of one tenant are passed on, all of them together: destinations that never come to an end
 * must not take the process from everybody else.
 */
export class AnswerPace {
  readonly #bytesPerSecond: number;
  #freeAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** For how long the next chunk of an answer has to wait, after the bytes that came before it. */
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
