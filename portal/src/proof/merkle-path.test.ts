import { expect, it } from 'vitest';
import { areEqual } from './bytes.ts';
import { climb, hashLeaf } from './merkle-path.ts';

type Hash = Uint8Array<ArrayBuffer>;

const textOf = (index: number) => new TextEncoder().encode(`record ${index}`);
const join = async (prefix: number, ...parts: readonly Uint8Array[]): Promise<Hash> => {
  const bytes = Uint8Array.from([prefix, ...parts.flatMap((part) => [...part])]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
};
const splitOf = (leaves: readonly Hash[]) => 2 ** Math.floor(Math.log2(leaves.length - 1));

/** Computes the root of leaves as RFC 6962 defines it, by splitting at the largest power of two. */
async function rootOf(leaves: readonly Hash[]): Promise<Hash> {
  const [only] = leaves;
  if (only === undefined) throw new RangeError('A tree has leaves.');
  if (leaves.length === 1) return only;
  const half = splitOf(leaves);
  return join(1, await rootOf(leaves.slice(0, half)), await rootOf(leaves.slice(half)));
}

/** Lists the siblings on the way from a leaf to the root. */
async function pathOf(index: number, leaves: readonly Hash[]): Promise<Hash[]> {
  if (leaves.length === 1) return [];
  const half = splitOf(leaves);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return index < half
    ? [...(await pathOf(index, left)), await rootOf(right)]
    : [...(await pathOf(index - half, right)), await rootOf(left)];
}

it('leads from every leaf of every small tree to its root, and from nowhere else', async () => {
  for (let treeSize = 1; treeSize <= 20; treeSize += 1) {
    const leaves = await Promise.all(Array.from({ length: treeSize }, (_, index) => join(0, textOf(index))));
    const root = await rootOf(leaves);
    for (let index = 0; index < treeSize; index += 1) {
      const path = await pathOf(index, leaves);
      const start = await hashLeaf(textOf(index));
      const reached = await climb(start, { index, treeSize }, path);
      expect(reached !== undefined && areEqual(reached, root)).toBe(true);
      expect(await climb(start, { index, treeSize }, [...path, root])).toBeUndefined();
      if (path.length > 0) expect(await climb(start, { index, treeSize }, path.slice(1))).toBeUndefined();
    }
    expect(await climb(root, { index: treeSize, treeSize }, [])).toBeUndefined();
  }
});
