import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { parseRecordText } from '../../../platform/audit/seal/audit-record.ts';
import { hashLeaf } from '../../../platform/audit/seal/merkle-tree.ts';
import { parseRunsJson, RunsCheck } from '../../../platform/audit/verify/runs-proof.ts';
import { readLines } from '../../../platform/files/line-reader.ts';
import { sha256OfChunks } from '../../../platform/keyring/sealing/sha256.ts';
import { headLines, isRemoval, parseHead, type ReceiptHead } from './receipt-format.ts';

/** What was found in a receipt. It is as the vault wrote it only if there is no problem. */
export interface ReceiptVerdict {
  readonly problem: string | undefined;
  readonly head: ReceiptHead | undefined;
}

/**
 * Checks a receipt without the vault: the signature with a key that the reader knows, that no byte was changed or added,
 * that each record says that a token was removed, each only once, and that all of them are in the signed log.
 */
export async function checkReceipt(path: string, publicKey: Buffer): Promise<ReceiptVerdict> {
  const text = await readHead(path);
  const head = parseHead(text, publicKey);
  if (head === undefined)
    return refuse('The receipt is not one that the vault with this key signed, or this version cannot read it.');
  if (head.public_key !== publicKey.toString('base64')) return refuse('The receipt names another key.');
  const start = Buffer.byteLength(text);
  const { size } = await stat(path);
  const digest = await sha256OfChunks(createReadStream(path, { start }));
  if (size !== start + head.records.bytes || digest.toString('hex') !== head.records.sha256)
    return refuse('The records of the receipt were changed.');
  return checkRecords(path, head, publicKey);
}

async function checkRecords(path: string, head: ReceiptHead, publicKey: Buffer): Promise<ReceiptVerdict> {
  const proof = parseRunsJson(head.proof);
  if (proof === undefined || proof.checkpoint.tenantId !== head.tenant_id)
    return refuse('The receipt has no proof for this tenant.');
  const check = new RunsCheck(proof);
  const erasure = { tenantId: head.tenant_id, id: head.erasure_id };
  const ids = new Set<string>();
  let line = 0;
  for await (const text of readLines(path)) {
    line += 1;
    if (line <= headLines) continue;
    const record = parseRecord(text);
    if (record === undefined || !isRemoval(record, erasure))
      return refuse(`Line ${line} is not about a removed token.`);
    ids.add(record.entity_id);
    check.add(hashLeaf(Buffer.from(text, 'utf8')));
  }
  if (line - headLines !== head.tokens || ids.size !== head.tokens)
    return refuse('The receipt lists another number of tokens than it says.');
  if (!check.isProven(publicKey)) return refuse('The proof does not lead to a root that the vault has signed.');
  return { problem: undefined, head };
}

/** Returns the first lines of a file, with their line ends. A file that is missing has none. */
async function readHead(path: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of readLines(path)) {
    lines.push(line);
    if (lines.length === headLines) break;
  }
  return lines.map((line) => `${line}\n`).join('');
}

function parseRecord(text: string): AuditRecord | undefined {
  try {
    return parseRecordText(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function refuse(problem: string): ReceiptVerdict {
  return { problem, head: undefined };
}
