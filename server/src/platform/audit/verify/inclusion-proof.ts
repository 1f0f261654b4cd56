import { hasMembers, membersOf } from '../../../core/objects/members-of.ts';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { asRecord, hashRecord } from '../seal/audit-record.ts';
import { isGenuine, parseCheckpointJson, type SignedCheckpoint, toCheckpointJson } from '../seal/checkpoint.ts';
import type { LogReader } from './log-reader.ts';
import { isIncluded, rootOf, type Subtree } from '../seal/merkle-tree.ts';
import { listSubtrees, type Place, type ReadCheckpoint, Replay, UnprovableError } from './tree-replay.ts';

/** Proves to anyone who trusts the signature that one record is in a tree, without revealing any other record. */
export interface InclusionProof {
  readonly record: AuditRecord;
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly checkpoint: SignedCheckpoint;
}

/** Proves one record against the newest checkpoint. */
export async function proveInclusion(
  reader: LogReader,
  tenantId: string,
  recordId: string,
  createdAt?: Date,
): Promise<InclusionProof> {
  const record = await reader.findRecord(tenantId, recordId, createdAt);
  if (record === undefined) throw new UnprovableError('The log of this tenant has no such record.', 'no-record');
  const newest = await reader.newestCheckpoint(tenantId);
  if (newest === undefined) throw notSealed();
  return new Prover(reader, newest).prove(record);
}

/**
 * Proves records against one checkpoint. The sibling hashes on the path from a record to the root are those of complete
 * subtrees. Each subtree was completed within one checkpoint, so only the records of that checkpoint have to be read
 * again. Consecutive records of the same checkpoint are read once.
 */
export class Prover {
  readonly #reader: LogReader;
  readonly #newest: SignedCheckpoint;
  readonly #replay: Replay;
  #own: ReadCheckpoint | undefined;

  constructor(reader: LogReader, newest: SignedCheckpoint) {
    this.#reader = reader;
    this.#newest = newest;
    this.#replay = new Replay(reader, newest.tenantId);
  }

  async prove(record: AuditRecord): Promise<InclusionProof> {
    const { before, records } = await this.#checkpointOf(record);
    const place = records.findIndex(({ id, entity_id }) => id === record.id && entity_id === record.entity_id);
    const index = before.size + place;
    const path: Buffer[] = [];
    for (const subtrees of siblingsOf(index, this.#newest.treeSize)) {
      const hashes: Subtree[] = [];
      for (const subtree of subtrees) hashes.push({ ...subtree, hash: await this.#replay.hashOf(subtree, before) });
      const root = rootOf(hashes);
      if (root !== undefined) path.push(root);
    }
    return { record, index, path, checkpoint: this.#newest };
  }

  async #checkpointOf({ sealing_order: order, id }: AuditRecord): Promise<ReadCheckpoint> {
    if (this.#own?.records.some((record) => record.id === id) === true) return this.#own;
    const { tenantId, number } = this.#newest;
    const own = await this.#reader.checkpointOfOrder(tenantId, order);
    if (own === undefined || own.number > number) throw notSealed();
    this.#own = await this.#replay.read(own.treeSize);
    return this.#own;
  }
}

function notSealed(): UnprovableError {
  return new UnprovableError(
    'The record has not been sealed yet. Try again in a few seconds; `strongroom work` must be running to seal records.',
    'not-sealed',
  );
}

/** Returns true if the proof leads from the record to the root, and the holder of the key signed the root. */
export function isProven({ record, index, path, checkpoint }: InclusionProof, publicKey: Buffer): boolean {
  const place = { index, treeSize: checkpoint.treeSize };
  return (
    record.tenant_id === checkpoint.tenantId &&
    isGenuine(checkpoint, publicKey) &&
    isIncluded(hashRecord(record), place, path, checkpoint.root)
  );
}

export function toProofJson({ record, index, path, checkpoint }: InclusionProof) {
  return {
    record,
    index,
    path: path.map((hash) => hash.toString('base64')),
    checkpoint: toCheckpointJson(checkpoint),
  };
}

/** Returns undefined for anything that is not a proof. The proof itself is not verified. */
export function parseProofJson(value: unknown): InclusionProof | undefined {
  const { record, index, path, checkpoint } = membersOf(value);
  const parsed = parseCheckpointJson(checkpoint);
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || !Array.isArray(path)) return undefined;
  if (!hasMembers(record) || parsed === undefined || !path.every((hash) => typeof hash === 'string')) return undefined;
  return {
    record: asRecord(record),
    index,
    path: path.map((hash) => Buffer.from(hash, 'base64')),
    checkpoint: parsed,
  };
}

/**
 * Returns the siblings on the path from a leaf to the root, from the leaf up (RFC 6962 §2.1.1). Each one is given as
 * complete subtrees.
 */
function siblingsOf(leaf: number, treeSize: number): Place[][] {
  const siblings: Place[][] = [];
  let from = 0;
  let to = treeSize;
  while (to - from > 1) {
    const middle = from + 2 ** Math.ceil(Math.log2(to - from) - 1);
    if (leaf < middle) {
      siblings.unshift(listSubtrees(middle, to));
      to = middle;
    } else {
      siblings.unshift(listSubtrees(from, middle));
      from = middle;
    }
  }
  return siblings;
}
