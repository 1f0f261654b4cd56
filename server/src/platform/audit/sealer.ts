import type { Database } from '../database/database.ts';
import type { AuditSigner } from '../keyring/audit-signer.ts';
import { compareOrders, compareRecords, monthOf } from './audit-record.ts';
import { isGenuine, type SignedCheckpoint, toSignedText } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { MerkleFrontier } from './merkle-tree.ts';
import { type MinuteCount, type NewCheckpoint, SealingError, SealStore, type Unsealed } from './seal-store.ts';

/** The smaller a checkpoint, the closer a finding points to the record. */
const recordsPerCheckpoint = 1_000;
const recordsPerPass = 10_000;
const keyVersion = 1;
const minuteMs = 60_000;

export interface SealPass {
  readonly sealed: number;
  /** Age of the oldest record of the pass at the moment in which it was sealed. */
  readonly lagMs: number;
  /** Age of the oldest record that was not sealed when the pass began. */
  readonly waitingMs: number;
  readonly checkpoints: readonly SignedCheckpoint[];
  /** There was more than one pass takes. */
  readonly isFull: boolean;
}

const nothing: SealPass = { sealed: 0, lagMs: 0, waitingMs: 0, checkpoints: [], isFull: false };

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
      const { from, to, oldestUnsealedAt } = await store.range();
      const waitingMs = oldestUnsealedAt === null ? 0 : Date.now() - oldestUnsealedAt.getTime();
      const records = await store.listUnsealed(from, to, recordsPerPass);
      const last = records.at(-1);
      if (last === undefined) return { ...nothing, waitingMs };

      const isFull = records.length >= recordsPerPass;
      const sealedTo = isFull ? after(last.sealing_order) : to;
      const byTenant = Map.groupBy(records, (record) => record.tenant_id);
      const newest = await store.findNewest([...byTenant.keys()]);
      const sealedAt = new Date();
      const checkpoints = [...byTenant].flatMap(([tenantId, own]) =>
        this.#extend({ tenantId, sealedAt, newest: newest.get(tenantId) }, own.toSorted(compareRecords)),
      );
      await store.save({ checkpoints, counts: countByMinute(records), sealedTo });
      const oldest = records.reduce((least, { created_at }) => Math.min(least, created_at), Number.POSITIVE_INFINITY);
      return { sealed: records.length, lagMs: sealedAt.getTime() - oldest, waitingMs, checkpoints, isFull };
    });
  }

  /** Whoever has changed the newest checkpoint must not get a signature under what follows from it. */
  #requireSound(newest: StoredCheckpoint): MerkleFrontier {
    const frontier = MerkleFrontier.parse(newest.treeSize, newest.frontier);
    const isSound = frontier?.root().equals(newest.root) === true && isGenuine(newest, this.#signer.publicKey);
    if (frontier !== undefined && isSound) return frontier;
    throw new SealingError(
      `The newest checkpoint of tenant ${newest.tenantId} does not match its signature. Run \`strongroom audit verify\`.`,
    );
  }

  #extend(
    of: { tenantId: string; sealedAt: Date; newest: StoredCheckpoint | undefined },
    records: readonly Unsealed[],
  ): NewCheckpoint[] {
    const frontier = of.newest === undefined ? MerkleFrontier.empty() : this.#requireSound(of.newest);
    requireNew(of.newest, records);
    let number = of.newest?.number ?? 0;
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

/** A record that lies before what is sealed was sealed once, or was added by hand: a second time would hide that. */
function requireNew(newest: StoredCheckpoint | undefined, [first]: readonly Unsealed[]): void {
  if (newest === undefined || first === undefined || compareOrders(first.sealing_order, newest.orderTo) >= 0) return;
  throw new SealingError(
    `The table audit_sealing is behind the checkpoints of tenant ${newest.tenantId}, or a record was added to a sealed period. Run \`strongroom audit verify\`.`,
  );
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
