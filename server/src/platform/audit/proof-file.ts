import { open, readFile } from 'node:fs/promises';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { type AuditRecord, compareOrders, compareRecords } from './audit-record.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import {
  type InclusionProof,
  isProven,
  parseProofJson,
  Prover,
  toProofJson,
  UnprovableError,
} from './inclusion-proof.ts';
import type { RecordKey } from './log-reader.ts';
import type { OpenLog } from './log-verification.ts';

/** The worker seals twice a second. */
const sealedWithinMs = 30_000;
const lookAgainMs = 250;
const recordsPerRead = 500;

/** Writes the proof of each record as a line of JSON, once all of them are sealed. */
export async function writeProofs(
  path: string,
  { reader, publicKey }: OpenLog,
  { tenantId, keys }: { readonly tenantId: string; readonly keys: readonly RecordKey[] },
): Promise<void> {
  const records: AuditRecord[] = [];
  for (let from = 0; from < keys.length; from += recordsPerRead)
    records.push(...(await reader.findRecords(tenantId, keys.slice(from, from + recordsPerRead))));
  records.sort(compareRecords);
  const newest = await whenSealed(reader, tenantId, records.at(-1));
  const file = await open(path, 'w', 0o600);
  try {
    if (newest === undefined) return;
    const prover = new Prover(reader, newest);
    const signer = { public_key: publicKey.toString('base64') };
    for (const record of records) {
      await file.write(`${JSON.stringify({ ...toProofJson(await prover.prove(record)), ...signer })}\n`);
    }
  } finally {
    await file.close();
  }
}

/** The checkpoint that holds the last record; undefined if there is no record. */
async function whenSealed(
  reader: OpenLog['reader'],
  tenantId: string,
  last: AuditRecord | undefined,
): Promise<SignedCheckpoint | undefined> {
  if (last === undefined) return undefined;
  const end = performance.now() + sealedWithinMs;
  for (;;) {
    const newest = await reader.newestCheckpoint(tenantId);
    if (newest !== undefined && compareOrders(newest.orderTo, last.sealing_order) > 0) return newest;
    if (performance.now() > end)
      throw new UnprovableError('Some of the records are not sealed. `strongroom audit verify` says why.');
    await pauseFor(lookAgainMs);
  }
}

export interface ProofsChecked {
  readonly proven: readonly string[];
  /** How many lines are no proof, or one that does not hold. */
  readonly failed: number;
}

/** Checks a file with one proof, or one on each line. */
export async function checkProofs(path: string, publicKey: Buffer): Promise<ProofsChecked> {
  const proofs = parseProofs(await readFile(path, 'utf8'));
  const proven = proofs.filter((proof) => proof !== undefined).filter((proof) => isProven(proof, publicKey));
  return { proven: proven.map(({ record }) => record.id), failed: proofs.length - proven.length };
}

function parseProofs(text: string): (InclusionProof | undefined)[] {
  const whole = parseJson(text);
  if (whole !== undefined) return (Array.isArray(whole) ? whole : [whole]).map(parseProofJson);
  // Only this character ends a line: an id may hold others that look like it.
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parseProofJson(parseJson(line)));
}

function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
}
