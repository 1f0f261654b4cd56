import { access, type FileHandle, readFile, stat } from 'node:fs/promises';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { readLines } from '../../files/line-reader.ts';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { compareOrders, compareRecords } from '../seal/audit-record.ts';
import type { SignedCheckpoint } from '../seal/checkpoint.ts';
import { isProven, parseProofJson, Prover, toProofJson } from './inclusion-proof.ts';
import { parseJsonOrNothing } from '../record/json-or-nothing.ts';
import type { RecordKey } from './log-reader.ts';
import type { OpenLog } from './log-verification.ts';
import { UnprovableError } from './tree-replay.ts';

/** The time to wait for records to be sealed. The worker seals twice per second. */
const sealedWithinMs = 30_000;
const lookAgainMs = 250;
const recordsPerRead = 500;
/** The maximum size of a file that is not in the format of one proof per line. */
const wholeBytesMax = 16 * 1024 * 1024;

/** Waits until all records are sealed, then writes the proof of each one as a line of JSON. */
export async function writeProofs(
  file: FileHandle,
  { reader, publicKey }: OpenLog,
  { tenantId, keys }: { readonly tenantId: string; readonly keys: readonly RecordKey[] },
): Promise<void> {
  const records: AuditRecord[] = [];
  for (let from = 0; from < keys.length; from += recordsPerRead)
    records.push(...(await reader.findRecords(tenantId, keys.slice(from, from + recordsPerRead))));
  if (records.length !== keys.length)
    throw new UnprovableError('Some of the records were dropped while they were read. Ask again with a later --from.');
  records.sort(compareRecords);
  const newest = await whenSealed(reader, tenantId, records.at(-1));
  if (newest === undefined) return;
  const prover = new Prover(reader, newest);
  const signer = { public_key: publicKey.toString('base64') };
  for (const record of records) {
    await file.write(`${JSON.stringify({ ...toProofJson(await prover.prove(record)), ...signer })}\n`);
  }
}

/** Waits for a checkpoint that covers the last record. Returns undefined if there is no record. */
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
  /** The number of entries that are not a proof, or whose proof is invalid. */
  readonly failed: number;
}

/**
 * Checks a file with one proof, a list of proofs, or one proof per line. A record with several proofs is counted once.
 */
export async function checkProofs(path: string, publicKey: Buffer): Promise<ProofsChecked> {
  await access(path);
  const proven = new Map<string, string>();
  let failed = 0;
  const check = (value: unknown) => {
    const proof = parseProofJson(value);
    if (proof === undefined || !isProven(proof, publicKey)) failed += 1;
    else proven.set(`${proof.record.id} ${proof.record.entity_id}`, proof.record.id);
  };
  const checkAll = (parsed: unknown) => (Array.isArray(parsed) ? parsed : [parsed]).forEach(check);
  let lineNumber = 0;
  for await (const line of readLines(path)) {
    if (line.trim() === '') continue;
    lineNumber += 1;
    const parsed = parseJsonOrNothing(line);
    if (parsed === undefined && lineNumber === 1) {
      // The file may be one JSON text that spans several lines.
      checkAll(parseJsonOrNothing(await readShort(path)));
      break;
    }
    checkAll(parsed);
  }
  return { proven: [...proven.values()], failed };
}

/**
 * Returns the text of a file, or an empty text if it is too long. Files with one proof per line can have any length.
 */
async function readShort(path: string): Promise<string> {
  const { size } = await stat(path);
  return size > wholeBytesMax ? '' : readFile(path, 'utf8');
}
