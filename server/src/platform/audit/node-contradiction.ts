import type { LogTree } from '../../core/audit/log-tree.ts';
import { isGenuine, type SignedCheckpoint } from './checkpoint.ts';
import type { NodeSeal } from './node-seal.ts';

/** The log of a tenant on a node that is not what the vault knows of it. */
export interface NodeContradiction extends LogTree {
  readonly node: string;
  /** In our own words: it names no value. */
  readonly reason: string;
}

/** Compares the newest checkpoint that a node shows with one that the vault has signed; undefined if both can be. */
export function findContradiction(
  known: NodeSeal,
  newest: SignedCheckpoint | undefined,
  publicKey: Buffer,
): NodeContradiction | undefined {
  const { tenantId, node, number } = known;
  const toContradiction = (reason: string) => ({
    tenantId,
    node,
    reason: `${reason} Run \`strongroom audit verify\`.`,
  });
  const log = `log of tenant ${tenantId} on node ${node}`;
  if (newest === undefined) return toContradiction(`The ${log} has no checkpoint, and ${number} was signed.`);
  const isSameNumber = newest.number === number;
  // Most are, and a signature takes long to verify; the sealer does before it builds on it.
  if (isSameNumber && newest.root.equals(known.root)) return undefined;
  if (!isGenuine(newest, publicKey)) return toContradiction(`The newest checkpoint in the ${log} was not signed.`);
  if (newest.number < number) return toContradiction(`The ${log} ends before checkpoint ${number}, which was signed.`);
  return isSameNumber
    ? toContradiction(`The ${log} has another checkpoint ${number} than was signed before.`)
    : undefined;
}
