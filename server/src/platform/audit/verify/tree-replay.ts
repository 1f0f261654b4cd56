import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { compareRecords, firstOrder, hashRecord } from '../seal/audit-record.ts';
import { MerkleFrontier, type Subtree } from '../seal/merkle-tree.ts';
import type { LogReader } from './log-reader.ts';

/**
 * The reason why there is no proof. The record does not exist, it is not sealed yet, or a part of the log that the
 * proof needs is damaged or dropped.
 */
type UnprovableReason = 'no-record' | 'not-sealed' | 'not-provable';

export class UnprovableError extends Error {
  readonly reason: UnprovableReason;

  constructor(message: string, reason: UnprovableReason = 'not-provable') {
    super(message);
    this.name = 'UnprovableError';
    this.reason = reason;
  }
}

export type Place = Pick<Subtree, 'level' | 'index'>;

export interface ReadCheckpoint {
  /** The tree before this checkpoint. */
  readonly before: MerkleFrontier;
  readonly records: readonly AuditRecord[];
}

/**
 * The number of subtrees to keep, which corresponds to about 100 checkpoints. Above this number, all subtrees are
 * discarded and computed again when needed.
 */
const subtreesKeptMax = 200_000;

/** Reads checkpoints again and caches the subtrees that they complete. */
export class Replay {
  readonly #reader: LogReader;
  readonly #tenantId: string;
  readonly #completed = new Map<string, Buffer>();

  constructor(reader: LogReader, tenantId: string) {
    this.#reader = reader;
    this.#tenantId = tenantId;
  }

  /** Reads the checkpoint in which the tree reached this size. Returns the tree before it, and its records. */
  async read(treeSize: number): Promise<ReadCheckpoint> {
    if (this.#completed.size > subtreesKeptMax) this.#completed.clear();
    const checkpoint = await this.#reader.checkpointOfSize(this.#tenantId, treeSize);
    if (checkpoint === undefined) throw new UnprovableError('A checkpoint is missing. Run `strongroom audit verify`.');
    const previous = await this.#reader.checkpointBefore(this.#tenantId, checkpoint.number);
    const before =
      previous === undefined ? MerkleFrontier.empty() : MerkleFrontier.parse(previous.treeSize, previous.frontier);
    if (before === undefined) throw new UnprovableError('A checkpoint is damaged. Run `strongroom audit verify`.');
    const from = previous?.orderTo ?? firstOrder;
    const read = await this.#reader.recordsBetween(this.#tenantId, from, checkpoint.orderTo);
    const records = read.toSorted(compareRecords);
    const frontier = before.copy();
    for (const record of records) frontier.append(hashRecord(record), (subtree) => this.#keep(subtree));
    if (!frontier.root().equals(checkpoint.root))
      throw new UnprovableError('The log does not match what was sealed. Run `strongroom audit verify` to see where.');
    return { before, records };
  }

  /**
   * Returns the hash of a subtree. Subtrees of `known` are not read again, so their records may already have been
   * dropped.
   */
  async hashOf(place: Place, known: Pick<MerkleFrontier, 'subtrees'>): Promise<Buffer> {
    const held = known.subtrees.find(({ level, index }) => level === place.level && index === place.index);
    if (held !== undefined) return held.hash;
    if (!this.#completed.has(nameOf(place))) await this.read((place.index + 1) * 2 ** place.level);
    const hash = this.#completed.get(nameOf(place));
    if (hash === undefined) throw new UnprovableError('The proof needs a part of the log that was dropped.');
    return hash;
  }

  #keep(subtree: Subtree): void {
    this.#completed.set(nameOf(subtree), subtree.hash);
  }
}

function nameOf({ level, index }: Place): string {
  return `${level}/${index}`;
}

/** Splits a range of leaves into the largest complete subtrees, from left to right. */
export function listSubtrees(from: number, to: number): Place[] {
  const places: Place[] = [];
  for (let start = from; start < to; ) {
    let level = Math.floor(Math.log2(to - start));
    while (start % 2 ** level !== 0) level -= 1;
    places.push({ level, index: start / 2 ** level });
    start += 2 ** level;
  }
  return places;
}
