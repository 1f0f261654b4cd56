import { toCheckpointText } from '../../../server/src/core/audit/checkpoint-text.ts';
import { toRecordText } from '../../../server/src/core/audit/record-text.ts';
import { areEqual, fromBase64 } from './bytes.ts';
import { climb, hashLeaf } from './merkle-path.ts';
import { parseProof, type Proof } from './parse-proof.ts';
import { isShownAs, type ShownRecord } from './shown-record.ts';

/** A public key that the user trusts, with its version. */
export interface TrustedKey {
  readonly version: number;
  readonly key: string;
}

/** The result of each check, in order. If a check fails, all later ones are false too. */
export interface ProofCheck {
  readonly isWellFormed: boolean;
  /** True if the proof contains the record that the user sees. */
  readonly isOfRecord: boolean;
  /** True if the checkpoint was signed with the key that the user trusts. */
  readonly isSigned: boolean;
  /** True if the hashes lead from the record to the signed root. */
  readonly isIncluded: boolean;
}

const refused: ProofCheck = { isWellFormed: false, isOfRecord: false, isSigned: false, isIncluded: false };
const encoder = new TextEncoder();

/**
 * Verifies that a proof is about the shown record. It uses only the proof and the key, and does not rely on anything
 * the vault states. Without the comparison with the shown record, the proof of any other record would pass.
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
