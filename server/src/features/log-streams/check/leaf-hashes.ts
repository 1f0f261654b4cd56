const hashBytes = 32;
const leavesPerChunk = 65_536;

/** The hashes of the leaves of a tree from a first one on, in 32 bytes each. */
export class LeafHashes {
  readonly #first: number;
  readonly #chunks = new Map<number, Buffer>();

  constructor(first: number) {
    this.#first = first;
  }

  set(leaf: number, hash: Buffer): void {
    const index = leaf - this.#first;
    const number = Math.floor(index / leavesPerChunk);
    const chunk = this.#chunks.get(number) ?? Buffer.alloc(leavesPerChunk * hashBytes);
    this.#chunks.set(number, chunk);
    hash.copy(chunk, (index % leavesPerChunk) * hashBytes);
  }

  /** Returns true if the leaf has this hash. A leaf that was never set has none. */
  has(leaf: number, hash: Buffer): boolean {
    const index = leaf - this.#first;
    const chunk = this.#chunks.get(Math.floor(index / leavesPerChunk));
    const start = (((index % leavesPerChunk) + leavesPerChunk) % leavesPerChunk) * hashBytes;
    return chunk?.subarray(start, start + hashBytes).equals(hash) === true;
  }
}
