import { sha256 } from '../../keyring/sealing/sha256.ts';

/**
 * The first bytes of hashed leaves and nodes (RFC 6962 §2.1). They differ, so that a leaf can never pass for a node, or
 * vice versa.
 */
const leafPrefix = Buffer.of(0x00);
const nodePrefix = Buffer.of(0x01);

const hashLength = 32;
const emptyRoot = sha256(Buffer.alloc(0));

export function hashLeaf(content: Buffer): Buffer {
  return sha256(Buffer.concat([leafPrefix, content]));
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

/** A complete subtree. It consists of 2^level leaves, beginning with leaf `index` × 2^level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
  readonly hash: Buffer;
}

/**
 * A tree that only grows. It is stored as the roots of its complete subtrees, largest first, with at most one for each
 * bit of its size. That is enough to append leaves and to compute the root.
 */
export class MerkleFrontier {
  readonly #subtrees: Subtree[];
  #size: number;

  static empty(): MerkleFrontier {
    return new MerkleFrontier(0, []);
  }

  /** Returns undefined if the bytes cannot be a frontier of this size. */
  static parse(size: number, bytes: Buffer): MerkleFrontier | undefined {
    const levels = levelsOf(size);
    if (bytes.length !== levels.length * hashLength) return undefined;
    let start = 0;
    const subtrees = levels.map((level, position) => {
      const hash = bytes.subarray(position * hashLength, (position + 1) * hashLength);
      const subtree = { level, index: start / 2 ** level, hash };
      start += 2 ** level;
      return subtree;
    });
    return new MerkleFrontier(size, subtrees);
  }

  private constructor(size: number, subtrees: Subtree[]) {
    this.#size = size;
    this.#subtrees = subtrees;
  }

  get size(): number {
    return this.#size;
  }

  get subtrees(): readonly Subtree[] {
    return this.#subtrees;
  }

  /** Appends a leaf. `onComplete` is called for every subtree that this leaf completes, including the leaf itself. */
  append(leafHash: Buffer, onComplete?: (subtree: Subtree) => void): void {
    this.appendSubtree(0, leafHash, onComplete);
  }

  /** Appends 2^level leaves at once. The number of leaves so far must be a multiple of that. */
  appendSubtree(level: number, hash: Buffer, onComplete?: (subtree: Subtree) => void): void {
    let made: Subtree = { level, index: this.#size / 2 ** level, hash };
    onComplete?.(made);
    for (let left = this.#subtrees.at(-1); left?.level === made.level; left = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      made = { level: made.level + 1, index: left.index / 2, hash: hashNode(left.hash, made.hash) };
      onComplete?.(made);
    }
    this.#subtrees.push(made);
    this.#size += 2 ** level;
  }

  root(): Buffer {
    return rootOf(this.#subtrees) ?? emptyRoot;
  }

  toBytes(): Buffer {
    return Buffer.concat(this.#subtrees.map(({ hash }) => hash));
  }

  copy(): MerkleFrontier {
    return new MerkleFrontier(this.#size, [...this.#subtrees]);
  }
}

/** Returns the root over adjacent subtrees, each smaller than the one before. */
export function rootOf(subtrees: readonly Subtree[]): Buffer | undefined {
  return subtrees
    .map(({ hash }) => hash)
    .reduceRight<Buffer | undefined>((right, left) => (right === undefined ? left : hashNode(left, right)), undefined);
}

/** Returns the set bits of a size, highest first. Sizes can exceed 2³², so bit operations would not work. */
function levelsOf(size: number): number[] {
  const levels: number[] = [];
  for (let rest = size; rest > 0; rest -= 2 ** Math.floor(Math.log2(rest))) levels.push(Math.floor(Math.log2(rest)));
  return levels;
}

/** Returns true if the path leads from this leaf to this root (RFC 9162 §2.1.3.2). */
export function isIncluded(
  leafHash: Buffer,
  place: { readonly index: number; readonly treeSize: number },
  path: readonly Buffer[],
  root: Buffer,
): boolean {
  if (place.index < 0 || place.index >= place.treeSize) return false;
  let node = place.index;
  let last = place.treeSize - 1;
  let hash = leafHash;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = hashNode(sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = hashNode(hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && hash.equals(root);
}
