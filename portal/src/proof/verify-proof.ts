import { toCheckpointText } from '../../../server/src/core/audit/checkpoint-text.ts';
import { toRecordText } from '../../../server/src/core/audit/record-text.ts';
import { areEqual, fromBase64 } from './bytes.ts';
import { climb, hashLeaf } from './merkle-path.ts';
import { parseProof, type Proof } from './parse-proof.ts';
import { isShownAs, type ShownRecord } from './shown-record.ts';

/** A public key that the reader trusts, with its version. */
export interface TrustedKey {
  readonly version: number;
  readonly key: string;
}

/** Each question by itself, in the order in which they are asked. A later one is false if an earlier one is. */
export interface ProofCheck {
  readonly isWellFormed: boolean;
  /** The record in it is the one that the reader sees. */
  readonly isOfRecord: boolean;
  /** The checkpoint was signed with the key that the reader trusts. */
  readonly isSigned: boolean;
  /** The hashes lead from the record to the signed root. */
  readonly isIncluded: boolean;
}

const refused: ProofCheck = { isWellFormed: false, isOfRecord: false, isSigned: false, isIncluded: false };
const encoder = new TextEncoder();

/**
 * Checks that a proof is about what is shown, with nothing but the proof and the key: what the vault says about it does not
 * count. Without looking at what is shown, the proof of any other record would do.
 */
export async function verifyProof(text: string, trusted: TrustedKey, shown: ShownRecord): Promise<ProofCheck> {
  const proof = parseText(text);
  if (proof === undefined || proof.record.tenant_id !== proof.checkpoint.tenant_id) return refused;
  if (!isShownAs(proof.record, shown)) return { ...refused, isWellFormed: true };
  const known: ProofCheck = { ...refused, isWellFormed: true, isOfRecord: true };
  if (proof.public_key !== trusted.key || proof.checkpoint.key_version !== trusted.version) return known;
  const isSigned = await hasSignature(proof, trusted.key);
  return { ...known, isSigned, isIncluded: isSigned && (await leadsToRoot(proof)) };
}

export function isProven({ isWellFormed, isOfRecord, isSigned, isIncluded }: ProofCheck): boolean {
  return isWellFormed && isOfRecord && isSigned && isIncluded;
}

function parseText(text: string): Proof | undefined {
  try {
    return parseProof(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function hasSignature({ checkpoint }: Proof, publicKey: string): Promise<boolean> {
  const key = fromBase64(publicKey);
  const signature = fromBase64(checkpoint.signature);
  if (key?.length !== 32 || signature?.length !== 64) return false;
  const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', imported, signature, encoder.encode(toCheckpointText(checkpoint)));
}

async function leadsToRoot({ record, index, path, checkpoint }: Proof): Promise<boolean> {
  const root = fromBase64(checkpoint.root);
  const hashes = path.map(fromBase64).filter((hash) => hash?.length === 32);
  if (root === undefined || hashes.length !== path.length) return false;
  const siblings = hashes.flatMap((hash) => (hash === undefined ? [] : [hash]));
  const leaf = await hashLeaf(encoder.encode(toRecordText(record)));
  const reached = await climb(leaf, { index, treeSize: checkpoint.tree_size }, siblings);
  return reached !== undefined && areEqual(reached, root);
}
