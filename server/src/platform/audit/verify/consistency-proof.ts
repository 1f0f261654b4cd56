import { membersOf } from '../../../core/objects/members-of.ts';
import { isGenuine, parseCheckpointJson, type SignedCheckpoint, toCheckpointJson } from '../seal/checkpoint.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import { MerkleFrontier } from '../seal/merkle-tree.ts';
import type { LogReader } from './log-reader.ts';
import { listSubtrees, Replay, UnprovableError } from './tree-replay.ts';

/**
 * Proves to anyone who trusts the signature that a tree has only grown: the newer one begins with all records of the
 * older one, unchanged and in the same order.
 */
export interface ConsistencyProof {
  readonly older: SignedCheckpoint;
  readonly newer: SignedCheckpoint;
  /** The complete subtrees of the older tree, largest first. */
  readonly frontier: Buffer;
  /** The complete subtrees that were appended, as `listSubtrees` names them. */
  readonly appended: readonly Buffer[];
}

/** Proves that one checkpoint of a tenant continues another. */
export async function proveConsistency(
  reader: LogReader,
  older: StoredCheckpoint,
  newer: StoredCheckpoint,
): Promise<ConsistencyProof> {
  const known = MerkleFrontier.parse(older.treeSize, older.frontier);
  if (known === undefined) throw new UnprovableError('A checkpoint is damaged. Run `strongroom audit verify`.');
  const replay = new Replay(reader, newer.tenantId);
  const appended: Buffer[] = [];
  for (const place of listSubtrees(older.treeSize, newer.treeSize)) appended.push(await replay.hashOf(place, known));
  return { older, newer, frontier: older.frontier, appended };
}

/** Returns true if both checkpoints are signed, and the newer tree is the older one with the appended subtrees. */
export function isConsistent({ older, newer, frontier, appended }: ConsistencyProof, publicKey: Buffer): boolean {
  const tree = MerkleFrontier.parse(older.treeSize, frontier);
  if (tree === undefined || older.tenantId !== newer.tenantId || older.treeSize > newer.treeSize) return false;
  if (!isGenuine(older, publicKey) || !isGenuine(newer, publicKey) || !tree.root().equals(older.root)) return false;
  const places = listSubtrees(older.treeSize, newer.treeSize);
  if (places.length !== appended.length || appended.some(({ length }) => length !== 32)) return false;
  for (const [index, { level }] of places.entries()) tree.appendSubtree(level, appended[index] ?? Buffer.alloc(0));
  return tree.size === newer.treeSize && tree.root().equals(newer.root);
}

export function toConsistencyJson({ older, newer, frontier, appended }: ConsistencyProof) {
  return {
    older: toCheckpointJson(older),
    newer: toCheckpointJson(newer),
    frontier: frontier.toString('base64'),
    appended: appended.map((hash) => hash.toString('base64')),
  };
}

/** Returns undefined for anything that is not such a proof. The proof itself is not verified. */
export function parseConsistencyJson(value: unknown): ConsistencyProof | undefined {
  const { older, newer, frontier, appended } = membersOf(value);
  const [from, to] = [parseCheckpointJson(older), parseCheckpointJson(newer)];
  if (from === undefined || to === undefined || typeof frontier !== 'string' || !Array.isArray(appended))
    return undefined;
  if (!appended.every((hash) => typeof hash === 'string')) return undefined;
  const hashes = appended.map((hash) => Buffer.from(hash, 'base64'));
  return { older: from, newer: to, frontier: Buffer.from(frontier, 'base64'), appended: hashes };
}
