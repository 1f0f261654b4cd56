import { nameOfTree, type LogTree } from '../../core/audit/log-tree.ts';
import type { FindRoots, SealedRoot } from './anchor-comparison.ts';
import type { Finding } from './log-verifier.ts';
import type { NodeSeal } from './node-seal.ts';

/** What home has noted of one tree and is not there. */
interface Lack {
  readonly tree: Required<LogTree>;
  /** The largest that is missing, and the smallest that is another. */
  missing?: NodeSeal;
  differing?: NodeSeal;
}

/**
 * Compares what home has noted of the logs of nodes with what they are. Everything that it has noted, not the newest alone: a log that
 * was cut back grows again under the same numbers. Of each tree it says at most how much is missing and from where on it differs.
 */
export class NodeSealComparison {
  readonly #findRoots: FindRoots;
  readonly #lacks = new Map<string, Lack>();

  constructor(findRoots: FindRoots) {
    this.#findRoots = findRoots;
  }

  async compare(seals: readonly NodeSeal[]): Promise<void> {
    for (const own of Map.groupBy(seals, nameOfTree).values()) {
      const [first] = own;
      if (first === undefined) continue;
      const roots = await this.#findRoots(
        first,
        own.map(({ number }) => number),
      );
      for (const seal of own) this.#compareOne(seal, roots.get(seal.number));
    }
  }

  /** `isEmpty` says of a tree that it has no checkpoint at all. */
  findings(isEmpty: (tree: LogTree) => boolean): Finding[] {
    return [...this.#lacks.values()].flatMap(({ tree, missing, differing }) => [
      ...(missing === undefined ? [] : [isEmpty(tree) ? toGone(missing) : toShortened(missing)]),
      ...(differing === undefined ? [] : [toDiffering(differing)]),
    ]);
  }

  #compareOne(seal: NodeSeal, root: SealedRoot | undefined): void {
    if (root !== undefined && root.treeSize === seal.treeSize && root.root.equals(seal.root)) return;
    const name = nameOfTree(seal);
    const lack = this.#lacks.get(name) ?? { tree: seal };
    this.#lacks.set(name, lack);
    if (root === undefined && seal.number > (lack.missing?.number ?? 0)) lack.missing = seal;
    if (root !== undefined && seal.number < (lack.differing?.number ?? Number.POSITIVE_INFINITY)) lack.differing = seal;
  }
}

function toGone(seal: NodeSeal): Finding {
  const message = `The whole log on this node is missing, of which the home database has noted ${seal.treeSize} records.`;
  return { kind: 'log-missing', ...placeOf(seal), message };
}

function toShortened(seal: NodeSeal): Finding {
  const message = `Checkpoint ${seal.number} is noted in the home database but not in the log of this node.`;
  return { kind: 'records-missing', ...placeOf(seal), message };
}

function toDiffering(seal: NodeSeal): Finding {
  const message = `Checkpoint ${seal.number} differs from the one that the home database has noted.`;
  return { kind: 'node-differs', ...placeOf(seal), message };
}

function placeOf({ tenantId, node, treeSize }: NodeSeal): Pick<Finding, 'tenantId' | 'node' | 'range'> {
  return { tenantId, node, range: { from: 0, to: treeSize } };
}
