import type { Database } from '../database/database.ts';
import type { AuditSigner } from '../keyring/audit-signer.ts';
import { compareRecords, monthOf } from './audit-record.ts';
import { type SignedCheckpoint, toSignedText } from './checkpoint.ts';
import { MerkleFrontier } from './merkle-tree.ts';
import { type MinuteCount, type NewCheckpoint, SealStore, type TreeState, type Unsealed } from './seal-store.ts';

/** The smaller a checkpoint, the closer a finding points to the record. */
const recordsPerCheckpoint = 1_000;
const recordsPerPass = 10_000;
const keyVersion = 1;
const minuteMs = 60_000;

export interface SealPass {
  readonly sealed: number;
  /** Age of the oldest record of the pass at the moment in which it was sealed. */
  readonly lagMs: number;
  readonly checkpoints: readonly SignedCheckpoint[];
  /** There was more than one pass takes. */
  readonly isFull: boolean;
}

const nothing: SealPass = { sealed: 0, lagMs: 0, checkpoints: [], isFull: false };

/** Makes committed records the next leaves of their tenants' trees. A pass is one transaction: it happened or it did not. */
export class Sealer {
  readonly #database: Database;
  readonly #signer: AuditSigner;

  constructor(parts: { database: Database; signer: AuditSigner }) {
    this.#database = parts.database;
    this.#signer = parts.signer;
  }

  async seal(): Promise<SealPass> {
    return this.#database.forSealer(async (tx) => {
      const store = new SealStore(tx);
      if (!(await store.becomeSealer())) return nothing;
      const { from, to } = await store.range();
      const records = await store.listUnsealed(from, to, recordsPerPass);
      const last = records.at(-1);
      if (last === undefined) return nothing;

      const isFull = records.length >= recordsPerPass;
      const sealedTo = isFull ? after(last.sealing_order) : to;
      const byTenant = Map.groupBy(records, (record) => record.tenant_id);
      const trees = await store.findTrees([...byTenant.keys()]);
      const sealedAt = new Date();
      const checkpoints = [...byTenant].flatMap(([tenantId, own]) =>
        this.#extend({ tenantId, sealedAt, tree: trees.get(tenantId) }, own.toSorted(compareRecords)),
      );
      await store.save({ checkpoints, counts: countByMinute(records), sealedTo });
      const oldest = records.reduce((least, { created_at }) => Math.min(least, created_at), Number.POSITIVE_INFINITY);
      return { sealed: records.length, lagMs: sealedAt.getTime() - oldest, checkpoints, isFull };
    });
  }

  #extend(
    of: { tenantId: string; sealedAt: Date; tree: TreeState | undefined },
    records: readonly Unsealed[],
  ): NewCheckpoint[] {
    const frontier = of.tree?.frontier ?? MerkleFrontier.empty();
    let number = of.tree?.number ?? 0;
    return splitIntoCheckpoints(records).map((part) => {
      for (const { leaf } of part.records) frontier.append(leaf);
      number += 1;
      const checkpoint = {
        tenantId: of.tenantId,
        number,
        treeSize: frontier.size,
        month: part.month,
        orderTo: part.orderTo,
        root: frontier.root(),
        sealedAt: of.sealedAt,
      };
      const signature = this.#signer.sign(toSignedText(checkpoint));
      return { ...checkpoint, keyVersion, signature, frontier: frontier.toBytes() };
    });
  }
}

interface CheckpointPart {
  readonly month: string;
  readonly records: Unsealed[];
  orderTo: string;
}

/** A checkpoint ends where it is large enough or where the month changes, but never within a transaction. */
function splitIntoCheckpoints(records: readonly Unsealed[]): CheckpointPart[] {
  const parts: CheckpointPart[] = [];
  let previousOrder: string | undefined;
  for (const record of records) {
    const current = parts.at(-1);
    const month = monthOf(record.created_at);
    const isSameTransaction = record.sealing_order === previousOrder;
    const hasRoom = current !== undefined && current.month === month && current.records.length < recordsPerCheckpoint;
    if (current !== undefined && (isSameTransaction || hasRoom)) {
      current.records.push(record);
      current.orderTo = after(record.sealing_order);
    } else {
      parts.push({ month, records: [record], orderTo: after(record.sealing_order) });
    }
    previousOrder = record.sealing_order;
  }
  return parts;
}

function countByMinute(records: readonly Unsealed[]): MinuteCount[] {
  const counts = new Map<string, MinuteCount>();
  for (const { tenant_id: tenantId, entity_type: entityType, created_at } of records) {
    const minute = Math.floor(created_at / minuteMs) * minuteMs;
    const name = `${tenantId} ${entityType} ${minute}`;
    counts.set(name, { tenantId, entityType, minute, records: (counts.get(name)?.records ?? 0) + 1 });
  }
  return [...counts.values()];
}

function after(order: string): string {
  return String(BigInt(order) + 1n);
}
