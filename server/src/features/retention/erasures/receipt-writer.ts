import type { TenantId } from '../../../core/identity/ids.ts';
import { toRecordText } from '../../../core/audit/record-text.ts';
import { dayMs } from '../../../core/expiry/life-limit.ts';
import { compareOrders, compareRecords } from '../../../platform/audit/seal/audit-record.ts';
import type { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import { type LeafRun, proveRuns, toRunsJson } from '../../../platform/audit/verify/runs-proof.ts';
import { type ReadCheckpoint, Replay, UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { sha256OfChunks } from '../../../platform/keyring/sealing/sha256.ts';
import { type Erasure, mostRemoved } from './erasure.ts';
import { isRemoval, toHeadText } from './receipt-format.ts';

/** A transaction that removed tokens, by its position in the log. */
export interface Batch {
  readonly order: string;
  readonly tokens: number;
}

/** A finished erasure, without the values of its metadata. */
export interface Finished {
  readonly tenantId: TenantId;
  readonly erasure: Erasure;
  readonly batches: readonly Batch[];
  /** The cell that has a copy of the tenant as well, as long as a move is not finished. */
  readonly otherCell: string | undefined;
}

export interface WriterParts {
  readonly reader: LogReader;
  readonly signer: AuditSigner;
  readonly backupDays: number | undefined;
}

/**
 * Writes the signed head of a receipt: what was erased, and the proof that all records that follow are in the log.
 * Returns undefined as long as some of them are not sealed.
 */
export async function writeReceiptHead(
  { reader, signer, backupDays }: WriterParts,
  { tenantId, erasure, batches, otherCell }: Finished,
): Promise<string | undefined> {
  const newest = await reader.newestCheckpoint(tenantId);
  const last = batches.at(-1);
  if (newest === undefined || (last !== undefined && compareOrders(newest.orderTo, last.order) <= 0)) return undefined;
  const runs: LeafRun[] = [];
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of readRemovals(reader, { tenantId, erasure, batches, otherCell }, runs)) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  const sha256 = await sha256OfChunks(counted());
  const tokens = runs.reduce((sum, run) => sum + run.count, 0);
  if (tokens !== erasure.removed) throw new UnprovableError('The log has another number of removals than the erasure.');
  const finishedAt = new Date();
  return toHeadText(
    {
      erasure_id: erasure.id,
      tenant_id: tenantId,
      selection: { ...erasure.selection, metadata: { ...erasure.selection.metadata } },
      is_limited: erasure.isLimited,
      requested_by: erasure.createdBy,
      confirmed: mostRemoved(erasure),
      confirmed_at: erasure.confirmedAt?.toISOString() ?? null,
      finished_at: finishedAt.toISOString(),
      tokens,
      held: erasure.held,
      backups:
        backupDays === undefined || otherCell !== undefined
          ? null
          : { kept_days: backupDays, gone_at: new Date(finishedAt.getTime() + backupDays * dayMs).toISOString() },
      ...(otherCell === undefined ? {} : { copy_in_cell: otherCell }),
      public_key: signer.publicKey.toString('base64'),
      records: { bytes, sha256: sha256.toString('hex') },
      proof: toRunsJson(await proveRuns(reader, runs, newest)),
    },
    signer,
  );
}

/** Returns the records of an erasure as lines, in the order of the log, exactly as the tree has hashed them. */
export async function* readRecordLines(
  reader: LogReader,
  tenantId: TenantId,
  batches: readonly Batch[],
): AsyncGenerator<string> {
  for (const { order, tokens } of batches) {
    const records = await reader.recordsBetween(tenantId, order, String(BigInt(order) + 1n));
    if (records.length !== tokens)
      throw new UnprovableError(
        'Some of the records are no longer in the database. Read them from the archive of the log.',
      );
    yield records
      .toSorted(compareRecords)
      .map((record) => `${toRecordText(record)}\n`)
      .join('');
  }
}

/** Reads the records of all batches, and adds their leaves to `runs`. Each checkpoint is verified while it is read. */
async function* readRemovals(
  reader: LogReader,
  { tenantId, erasure, batches }: Finished,
  runs: LeafRun[],
): AsyncGenerator<Buffer> {
  const replay = new Replay(reader, tenantId);
  let read: { readonly number: number; readonly checkpoint: ReadCheckpoint } | undefined;
  for (const { order, tokens } of batches) {
    const own = await reader.checkpointOfOrder(tenantId, order);
    if (own === undefined) throw new UnprovableError('A checkpoint is missing. Run `strongroom audit verify`.');
    if (read?.number !== own.number) read = { number: own.number, checkpoint: await replay.read(own.treeSize) };
    const { before, records } = read.checkpoint;
    const first = records.findIndex((record) => record.sealing_order === order);
    const removals = records.filter((record) => record.sealing_order === order);
    if (removals.length !== tokens || !removals.every((record) => isRemoval(record, { tenantId, id: erasure.id })))
      throw new UnprovableError('The log has other records than the erasure has written.');
    addRun(runs, { from: before.size + first, count: tokens });
    yield Buffer.from(removals.map((record) => `${toRecordText(record)}\n`).join(''), 'utf8');
  }
}

/** Adds a run, or lengthens the last one if nothing is between them. */
function addRun(runs: LeafRun[], { from, count }: LeafRun): void {
  const last = runs.at(-1);
  if (last === undefined || last.from + last.count !== from) runs.push({ from, count });
  else runs[runs.length - 1] = { from: last.from, count: last.count + count };
}
