import { membersOf } from '../../../core/objects/members-of.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import type { SignedCheckpoint } from '../seal/checkpoint.ts';
import { isGenuine, parseCheckpointJson, toCheckpointJson } from '../seal/checkpoint.ts';
import { MerkleFrontier, type Subtree } from '../seal/merkle-tree.ts';
import type { LogReader } from './log-reader.ts';
import { listSubtrees, Replay, UnprovableError } from './tree-replay.ts';

/** Adjacent leaves of a tree whose records are known. */
export interface LeafRun {
  /** The index of the first leaf. */
  readonly from: number;
  readonly count: number;
}

/**
 * Proves that all records of some runs are in a tree, without revealing any other record. It is the tree itself, from
 * left to right: complete subtrees in place of what is not revealed, and the known leaves between them. Anyone who puts
 * in the hashes of the records arrives at the root, or one of them is not the record that was sealed.
 */
export interface RunsProof {
  readonly runs: readonly LeafRun[];
  /**
   * The complete subtrees before each run, and after the last one, largest possible first, as `listSubtrees` names
   * them.
   */
  readonly gaps: readonly (readonly Buffer[])[];
  readonly checkpoint: SignedCheckpoint;
}

/** Proves runs against a checkpoint. They are in the order of the tree, and do not overlap. */
export async function proveRuns(
  reader: LogReader,
  runs: readonly LeafRun[],
  checkpoint: StoredCheckpoint,
): Promise<RunsProof> {
  const replay = new Replay(reader, checkpoint.tenantId);
  const [first] = runs;
  const before = first === undefined ? [] : await subtreesBefore(reader, first.from, checkpoint);
  const known = { subtrees: [...before, ...subtreesOf(checkpoint)] };
  const gaps: Buffer[][] = [];
  for (const { from, to } of listGaps(runs, checkpoint.treeSize)) {
    const hashes: Buffer[] = [];
    for (const place of listSubtrees(from, to)) hashes.push(await replay.hashOf(place, known));
    gaps.push(hashes);
  }
  return { runs, gaps, checkpoint };
}

/** Returns the tree before the checkpoint that has the leaf, so that records before it need not be read. */
async function subtreesBefore(
  reader: LogReader,
  leaf: number,
  { tenantId }: StoredCheckpoint,
): Promise<readonly Subtree[]> {
  const own = await reader.checkpointOfSize(tenantId, leaf + 1);
  const previous = own === undefined ? undefined : await reader.checkpointBefore(tenantId, own.number);
  return previous === undefined ? [] : subtreesOf(previous);
}

/** Returns the tree of a checkpoint as it is stored. Its records may have been dropped, so they are not read. */
function subtreesOf({ treeSize, frontier, root }: StoredCheckpoint): readonly Subtree[] {
  const tree = MerkleFrontier.parse(treeSize, frontier);
  if (tree?.root().equals(root) !== true)
    throw new UnprovableError('A checkpoint is damaged. Run `strongroom audit verify`.');
  return tree.subtrees;
}

/** Checks a proof while the leaves are read, one after the other. */
export class RunsCheck {
  readonly #proof: RunsProof;
  readonly #tree = MerkleFrontier.empty();
  #run = 0;
  #inRun = 0;
  #isRight = true;

  constructor(proof: RunsProof) {
    this.#proof = proof;
    this.#isRight = areOrdered(proof) && proof.gaps.length === proof.runs.length + 1;
    this.#fill();
  }

  /** Adds the hash of the next leaf of the runs. */
  add(leaf: Buffer): void {
    const run = this.#proof.runs[this.#run];
    if (!this.#isRight || run === undefined) {
      this.#isRight = false;
      return;
    }
    this.#tree.append(leaf);
    this.#inRun += 1;
    if (this.#inRun < run.count) return;
    this.#run += 1;
    this.#inRun = 0;
    this.#fill();
  }

  /** Returns true if all leaves were added, and they lead to the root that the holder of the key has signed. */
  isProven(publicKey: Buffer): boolean {
    const { runs, checkpoint } = this.#proof;
    const isWhole = this.#isRight && this.#run === runs.length && this.#tree.size === checkpoint.treeSize;
    return isWhole && isGenuine(checkpoint, publicKey) && this.#tree.root().equals(checkpoint.root);
  }

  /** Puts in the subtrees before the next run, or after the last one. */
  #fill(): void {
    if (!this.#isRight) return;
    const to = this.#proof.runs[this.#run]?.from ?? this.#proof.checkpoint.treeSize;
    const places = listSubtrees(this.#tree.size, to);
    const hashes = this.#proof.gaps[this.#run] ?? [];
    if (places.length !== hashes.length || hashes.some(({ length }) => length !== 32)) {
      this.#isRight = false;
      return;
    }
    for (const [index, { level }] of places.entries())
      this.#tree.appendSubtree(level, hashes[index] ?? Buffer.alloc(32));
  }
}

export function toRunsJson({ runs, gaps, checkpoint }: RunsProof) {
  return {
    runs: runs.map(({ from, count }) => [from, count]),
    gaps: gaps.map((hashes) => hashes.map((hash) => hash.toString('base64'))),
    checkpoint: toCheckpointJson(checkpoint),
  };
}

/** Returns undefined for anything that is not such a proof. The proof itself is not verified. */
export function parseRunsJson(value: unknown): RunsProof | undefined {
  const { runs, gaps, checkpoint: given } = membersOf(value);
  const checkpoint = parseCheckpointJson(given);
  if (checkpoint === undefined || !Array.isArray(runs) || !Array.isArray(gaps)) return undefined;
  const parsedRuns = runs.flatMap((run: unknown) => {
    const [from, count] = Array.isArray(run) ? (run as unknown[]) : [];
    return Number.isSafeInteger(from) && Number.isSafeInteger(count)
      ? [{ from: Number(from), count: Number(count) }]
      : [];
  });
  const isText = (hashes: unknown): hashes is string[] =>
    Array.isArray(hashes) && hashes.every((hash) => typeof hash === 'string');
  if (parsedRuns.length !== runs.length || !gaps.every(isText)) return undefined;
  return {
    runs: parsedRuns,
    gaps: gaps.map((hashes) => hashes.map((hash) => Buffer.from(hash, 'base64'))),
    checkpoint,
  };
}

function listGaps(runs: readonly LeafRun[], treeSize: number): { from: number; to: number }[] {
  const ends = [0, ...runs.map(({ from, count }) => from + count)];
  const starts = [...runs.map(({ from }) => from), treeSize];
  return starts.map((to, index) => ({ from: ends[index] ?? 0, to }));
}

function areOrdered({ runs, checkpoint }: RunsProof): boolean {
  return (
    listGaps(runs, checkpoint.treeSize).every(({ from, to }) => from <= to) && runs.every(({ count }) => count > 0)
  );
}
