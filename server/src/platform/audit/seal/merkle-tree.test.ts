import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import { hashLeaf, isIncluded, MerkleFrontier } from './merkle-tree.ts';

/** Test vectors from Certificate Transparency implementations: leaves, and the roots of the trees that they form. */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** Computes a root exactly as RFC 6962 §2.1 describes it, which is slow. */
function plainRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes;
  if (first === undefined) return sha256(Buffer.alloc(0));
  if (hashes.length === 1) return first;
  const k = splitOf(hashes.length);
  return sha256(Buffer.concat([Buffer.of(1), plainRoot(hashes.slice(0, k)), plainRoot(hashes.slice(k))]));
}

/** Computes a path exactly as RFC 6962 §2.1.1 describes it. */
function plainPath(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length <= 1) return [];
  const k = splitOf(hashes.length);
  return index < k
    ? [...plainPath(index, hashes.slice(0, k)), plainRoot(hashes.slice(k))]
    : [...plainPath(index - k, hashes.slice(k)), plainRoot(hashes.slice(0, k))];
}

/** Returns the largest power of two below n. */
const splitOf = (n: number) => 2 ** Math.ceil(Math.log2(n) - 1);
const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => hashLeaf(Buffer.from(`leaf ${n}`)));

function frontierOf(hashes: readonly Buffer[]): MerkleFrontier {
  const frontier = MerkleFrontier.empty();
  for (const hash of hashes) frontier.append(hash);
  return frontier;
}

describe('MerkleFrontier', () => {
  it('has the published roots at every size', () => {
    const frontier = MerkleFrontier.empty();
    const seen = leaves.map((leaf) => {
      frontier.append(hashLeaf(Buffer.from(leaf, 'hex')));
      return frontier.root().toString('hex');
    });
    expect(seen).toEqual(roots);
  });

  it('agrees with the definition at every size up to 130', () => {
    for (let size = 0; size <= 130; size += 1) {
      const hashes = leavesOf(size);
      expect(frontierOf(hashes).root()).toEqual(plainRoot(hashes));
    }
  });

  it('goes on from its bytes as if it had never stopped', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(60), (first, second) => {
        const hashes = leavesOf(first + second);
        const stopped = frontierOf(hashes.slice(0, first));
        const resumed = MerkleFrontier.parse(first, stopped.toBytes());
        for (const hash of hashes.slice(first)) resumed?.append(hash);
        expect(resumed?.root()).toEqual(frontierOf(hashes).root());
        expect(resumed?.subtrees).toEqual(frontierOf(hashes).subtrees);
      }),
    );
  });

  it('is not read from bytes of another length', () => {
    expect(MerkleFrontier.parse(3, Buffer.alloc(32))).toBeUndefined();
    expect(MerkleFrontier.parse(0, Buffer.alloc(32))).toBeUndefined();
  });

  it('copies without sharing', () => {
    const original = frontierOf(leavesOf(5));
    const root = original.root();
    original.copy().append(hashLeaf(Buffer.from('more')));
    expect(original.root()).toEqual(root);
  });
});

describe('isIncluded', () => {
  it('holds for every leaf of every tree up to 70, and for no other place, leaf, path or root', () => {
    for (let size = 1; size <= 70; size += 1) {
      const hashes = leavesOf(size);
      const root = plainRoot(hashes);
      for (const [index, hash] of hashes.entries()) {
        const path = plainPath(index, hashes);
        expect(isIncluded(hash, { index, treeSize: size }, path, root)).toBe(true);
        expect(isIncluded(hash, { index: (index + 1) % size, treeSize: size }, path, root)).toBe(size === 1);
        expect(isIncluded(hashLeaf(Buffer.from('other')), { index, treeSize: size }, path, root)).toBe(false);
        expect(isIncluded(hash, { index, treeSize: size }, [...path, root], root)).toBe(false);
        expect(isIncluded(hash, { index, treeSize: size }, path, hashLeaf(root))).toBe(false);
        for (const below of [index - size, -index - 1, index - 2 ** 7, index - 2 ** 32])
          expect(isIncluded(hash, { index: below, treeSize: size }, path, root)).toBe(false);
      }
    }
  });

  it('does not hold outside of the tree', () => {
    const [hash = Buffer.alloc(0)] = leavesOf(1);
    expect(isIncluded(hash, { index: 1, treeSize: 1 }, [], hash)).toBe(false);
    expect(isIncluded(hash, { index: 0, treeSize: 0 }, [], hash)).toBe(false);
  });
});
