import { MerkleFrontier, type Subtree } from '../seal/merkle-tree.ts';

export interface Places {
  readonly from: number;
  readonly to: number;
}

export interface NarrowPlace {
  /** The positions, counted from 0 with an exclusive end, within which something differs from what was sealed. */
  readonly places: Places;
  /** The index of the changed or added leaf in `leaves`, if the tree reveals it. */
  readonly leaf?: number;
}

/** The maximum number of leaves to try when searching for an added one. Each trial omits one of them. */
const trialsMax = 600;

/**
 * Locates the difference between a checkpoint and its current records. A checkpoint contains the roots of the complete
 * subtrees that form its tree. Subtrees that the current leaves reproduce are unchanged, so the difference is in the
 * others. `sealed` is the tree that the checkpoint signs, `before` is the tree of the previous checkpoint, and `leaves`
 * are the current leaves between them.
 */
export function narrowDown(before: MerkleFrontier, sealed: MerkleFrontier, leaves: readonly Buffer[]): NarrowPlace {
  const surplus = leaves.length - (sealed.size - before.size);
  const expected = sealed.subtrees.filter((subtree) => endOf(subtree) > before.size);
  const completed = completedBy(before, leaves);
  const first = expected.findIndex((subtree) => completed.get(nameOf(subtree))?.equals(subtree.hash) !== true);
  // All leaves after an added or missing one are shifted by the surplus.
  const isMoved = (subtree: Subtree) => {
    const start = startOf(subtree) - before.size + surplus;
    const own = start < 0 || startOf(subtree) < before.size ? [] : leaves.slice(start, start + 2 ** subtree.level);
    return own.length === 2 ** subtree.level && rootOfLeaves(own).equals(subtree.hash);
  };
  const last = expected.findLastIndex((subtree, index) => index >= first && !isMoved(subtree));
  const [from, to] = [expected[first], expected[last]];
  if (first === -1 || from === undefined) {
    const places = { from: before.size, to: sealed.size };
    // Everything that was sealed is present, so any surplus leaves come after it.
    return surplus === 1 ? { places, leaf: leaves.length - 1 } : { places };
  }
  const places = { from: Math.max(startOf(from), before.size), to: to === undefined ? endOf(from) : endOf(to) };
  const leaf = findLeaf({ before, leaves, subtree: from, surplus, places });
  return leaf === undefined ? { places } : { places, leaf };
}

function findLeaf(of: {
  before: MerkleFrontier;
  leaves: readonly Buffer[];
  subtree: Subtree;
  surplus: number;
  places: Places;
}): number | undefined {
  const { before, leaves, subtree, surplus, places } = of;
  const start = places.from - before.size;
  if (surplus === 0) return places.to - places.from === 1 ? start : undefined;
  if (surplus !== 1 || places.to > endOf(subtree)) return undefined;
  const count = endOf(subtree) - places.from + 1;
  if (count > trialsMax) return undefined;
  return Array.from({ length: count }, (_, index) => start + index).find((index) => {
    const without = leaves.toSpliced(index, 1).slice(0, endOf(subtree) - before.size);
    return completedBy(before, without).get(nameOf(subtree))?.equals(subtree.hash) === true;
  });
}

function completedBy(before: MerkleFrontier, leaves: readonly Buffer[]): Map<string, Buffer> {
  const completed = new Map<string, Buffer>();
  const frontier = before.copy();
  for (const leaf of leaves) frontier.append(leaf, (subtree) => completed.set(nameOf(subtree), subtree.hash));
  return completed;
}

function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  const frontier = MerkleFrontier.empty();
  for (const leaf of leaves) frontier.append(leaf);
  return frontier.root();
}

function startOf({ level, index }: Subtree): number {
  return index * 2 ** level;
}

function endOf({ level, index }: Subtree): number {
  return (index + 1) * 2 ** level;
}

function nameOf({ level, index }: Subtree): string {
  return `${level}/${index}`;
}
