import type { Database } from '../../database/database.ts';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { compareOrders, compareRecords, monthOf } from './audit-record.ts';
import { auditKeyVersion, isGenuine, type SignedCheckpoint, toSignedText } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { MerkleFrontier } from './merkle-tree.ts';
import {
  type MinuteCount,
  type NewCheckpoint,
  notSigned,
  SealingError,
  type SealStop,
  SealStore,
  type Unsealed,
} from './seal-store.ts';

/**
 * The number of records in a checkpoint. The smaller it is, the more precisely a finding can locate a changed record.
 */
const recordsPerCheckpoint = 1_000;
const recordsPerPass = 10_000;
const minuteMs = 60_000;

export interface SealPass {
  readonly sealed: number;
  /** The age of the pass's oldest record when it was sealed, in milliseconds. */
  readonly lagMs: number;
  /** The age of the oldest unsealed record when the pass began, in milliseconds. */
  readonly waitingMs: number;
  readonly checkpoints: readonly SignedCheckpoint[];
  /** The tenants that this pass stopped, with the reason. */
  readonly stopped: readonly SealStop[];
  /** The tenants that were stopped before and still are, with the reason. */
  readonly waiting: readonly SealStop[];
  /** The tenants whose sealing this pass resumed. */
  readonly resumed: readonly string[];
  /** The number of tenants that are stopped after the pass. */
  readonly stoppedCount: number;
  /** True if there were more records than one pass handles. */
  readonly isFull: boolean;
}

const nothing: SealPass = {
  sealed: 0,
  lagMs: 0,
  waitingMs: 0,
  checkpoints: [],
  stopped: [],
  waiting: [],
  resumed: [],
  stoppedCount: 0,
  isFull: false,
};

/**
 * Appends committed records as the next leaves of their tenants' trees. A pass is one transaction, so it takes effect
 * completely or not at all.
 */
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
      const stops = await store.listStops();
      const last = records.at(-1);
      const isFull = records.length >= recordsPerPass;
      const sealedTo = last === undefined ? from : isFull ? after(last.sealing_order) : to;

      const isStopped = new Set(stops.map(({ tenantId }) => tenantId));
      const byTenant = Map.groupBy(
        records.filter(({ tenant_id }) => !isStopped.has(tenant_id)),
        (record) => record.tenant_id,
      );
      const newest = await store.findNewest([...byTenant.keys(), ...isStopped]);
      const work = { newest, sealedAt: new Date() };
      const main = this.#extendAll(byTenant, work);
      const resumed = await this.#resume(store, stops, { ...work, sealedTo });
      const sealed = [...main.sealed, ...resumed.sealed];
      if (main.stops.length > 0) await store.insertStops(main.stops);
      if (last === undefined && sealed.length === 0) await store.noteLook();
      else
        await store.save({
          checkpoints: [...main.checkpoints, ...resumed.checkpoints],
          counts: countByMinute(sealed),
          sealedTo,
        });
      const oldest = sealed.reduce((least, { created_at }) => Math.min(least, created_at), work.sealedAt.getTime());
      return {
        sealed: sealed.length,
        lagMs: work.sealedAt.getTime() - oldest,
        waitingMs,
        checkpoints: [...main.checkpoints, ...resumed.checkpoints],
        stopped: main.stops,
        waiting: resumed.waiting,
        resumed: resumed.tenantIds,
        stoppedCount: stops.length - resumed.tenantIds.length + main.stops.length,
        isFull: isFull || resumed.isFull,
      };
    });
  }

  /**
   * Extends the tree of each tenant. If a tenant's newest checkpoint is invalid, its sealing stops at its first
   * unsealed record.
   */
  #extendAll(byTenant: ReadonlyMap<string, Unsealed[]>, { newest, sealedAt }: Work) {
    const checkpoints: NewCheckpoint[] = [];
    const sealed: Unsealed[] = [];
    const stops: SealStop[] = [];
    for (const [tenantId, own] of byTenant) {
      const known = newest.get(tenantId);
      const ordered = own.toSorted(compareRecords);
      const frontier = known === undefined ? MerkleFrontier.empty() : this.#findSound(known);
      if (frontier === undefined) {
        stops.push({ tenantId, orderFrom: ordered[0]?.sealing_order ?? '', reason: notSigned(tenantId) });
        continue;
      }
      if (!areNew(known, ordered)) throw sentBack(tenantId);
      checkpoints.push(...this.#extend({ tenantId, sealedAt, number: known?.number ?? 0, frontier }, ordered));
      for (const record of ordered) sealed.push(record);
    }
    return { checkpoints, sealed, stops };
  }

  /**
   * Resumes tenants whose newest checkpoint was repaired. Their unsealed records before `sealedTo` are sealed first.
   * After that, these tenants are sealed like all others.
   */
  async #resume(store: SealStore, stops: readonly SealStop[], of: Work & { readonly sealedTo: string }) {
    const checkpoints: NewCheckpoint[] = [];
    const sealed: Unsealed[] = [];
    const tenantIds: string[] = [];
    const waiting: SealStop[] = [];
    let isFull = false;
    for (const stop of stops) {
      const { tenantId } = stop;
      const known = of.newest.get(tenantId);
      const frontier = known === undefined ? undefined : this.#findSound(known);
      if (known === undefined || frontier === undefined) {
        waiting.push({ ...stop, reason: known === undefined ? stopMoved(tenantId) : notSigned(tenantId) });
        continue;
      }
      const ordered = (await store.listWaiting(stop, of.sealedTo, recordsPerPass)).toSorted(compareRecords);
      if (!areNew(known, ordered)) {
        waiting.push({ ...stop, reason: stopMoved(tenantId) });
        continue;
      }
      checkpoints.push(...this.#extend({ tenantId, sealedAt: of.sealedAt, number: known.number, frontier }, ordered));
      for (const record of ordered) sealed.push(record);
      const last = ordered.at(-1);
      if (last !== undefined && ordered.length >= recordsPerPass) {
        isFull = true;
        await store.moveStop(tenantId, after(last.sealing_order));
      } else {
        tenantIds.push(tenantId);
        await store.deleteStop(tenantId);
      }
    }
    return { checkpoints, sealed, tenantIds, waiting, isFull };
  }

  /** Returns undefined if the checkpoint was changed. Nothing that builds on it may be signed. */
  #findSound(newest: StoredCheckpoint): MerkleFrontier | undefined {
    const frontier = MerkleFrontier.parse(newest.treeSize, newest.frontier);
    const isSound = frontier?.root().equals(newest.root) === true && isGenuine(newest, this.#signer.publicKey);
    return isSound ? frontier : undefined;
  }

  #extend(
    of: { tenantId: string; sealedAt: Date; number: number; frontier: MerkleFrontier },
    records: readonly Unsealed[],
  ): NewCheckpoint[] {
    const { frontier } = of;
    let { number } = of;
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
      return { ...checkpoint, keyVersion: auditKeyVersion, signature, frontier: frontier.toBytes() };
    });
  }
}

/** The data that a pass has about all its tenants. */
interface Work {
  readonly newest: ReadonlyMap<string, StoredCheckpoint>;
  readonly sealedAt: Date;
}

/**
 * Returns true if the records follow the newest checkpoint. An earlier record was either sealed already or inserted by
 * hand, and sealing it now would hide that.
 */
function areNew(newest: StoredCheckpoint | undefined, [first]: readonly Unsealed[]): boolean {
  return newest === undefined || first === undefined || compareOrders(first.sealing_order, newest.orderTo) >= 0;
}

function stopMoved(tenantId: string): string {
  return `The row of tenant ${tenantId} in audit_seal_stops does not follow its newest checkpoint, or a record was added to its past. Run \`strongroom audit verify\`.`;
}

function sentBack(tenantId: string): SealingError {
  return new SealingError(
    `The table audit_sealing is behind the checkpoints of tenant ${tenantId}, or a record was added to its past. Run \`strongroom audit verify\`.`,
  );
}

interface CheckpointPart {
  readonly month: string;
  readonly records: Unsealed[];
  orderTo: string;
}

/**
 * Splits records into checkpoints. A checkpoint ends when it is large enough or the month changes, but never within a
 * transaction.
 */
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
