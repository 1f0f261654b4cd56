import type { AuditRecord } from '../../core/audit/record-text.ts';
import { compareRecords, hashRecord, monthOf } from './audit-record.ts';
import { isGenuine, type SignedCheckpoint } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { narrowDown, type Places } from './finding-place.ts';
import { MerkleFrontier } from './merkle-tree.ts';

export type FindingKind =
  | 'records-changed'
  | 'records-missing'
  | 'records-added'
  | 'record-outside'
  | 'checkpoint-changed'
  | 'checkpoint-missing'
  | 'month-removed'
  | 'sealing-stopped'
  | 'anchor-differs';

/** Something that is not as it was sealed, and where. */
export interface Finding {
  readonly kind: FindingKind;
  readonly tenantId: string;
  /** Places in the tenant's log, counted from 0, half open. */
  readonly range?: Places;
  /** The part of the range that differs from what was sealed, where the tree tells. */
  readonly within?: Places;
  /** Ids of the records, where they are known. */
  readonly records?: readonly string[];
  readonly message: string;
}

/** A checkpoint with the records that should be its own; none where their month was dropped. */
export interface LogSection {
  readonly checkpoint: StoredCheckpoint;
  readonly records: readonly AuditRecord[] | 'dropped';
}

export interface TenantVerdict {
  readonly tenantId: string;
  readonly verified: number;
  readonly dropped: number;
  readonly findings: readonly Finding[];
  readonly newest: SignedCheckpoint | undefined;
}

interface TreePosition {
  readonly number: number;
  readonly frontier: MerkleFrontier;
}

/**
 * Recomputes the tree of one tenant, checkpoint by checkpoint. After a finding it goes on from what the checkpoint vouches
 * for, so that one change gives one finding and later ones are still seen.
 */
export class LogVerifier {
  readonly #tenantId: string;
  readonly #publicKey: Buffer;
  readonly #findings: Finding[] = [];
  readonly #removedMonths = new Set<string>();
  #position: TreePosition = { number: 0, frontier: MerkleFrontier.empty() };
  #newest: SignedCheckpoint | undefined;
  #newestDroppedMonth: string | undefined;
  #verified = 0;
  #dropped = 0;

  /** `after` is a checkpoint that was verified before: the log is taken up behind it. */
  constructor(of: {
    tenantId: string;
    publicKey: Buffer;
    after?: StoredCheckpoint;
  }) {
    this.#tenantId = of.tenantId;
    this.#publicKey = of.publicKey;
    const known = of.after === undefined ? undefined : this.#vouchedFor(of.after);
    if (of.after !== undefined && known !== undefined) this.#position = { number: of.after.number, frontier: known };
  }

  /** Takes the sections in the order of their numbers. */
  check({ checkpoint, records }: LogSection): void {
    const before = this.#position;
    const range = { from: before.frontier.size, to: checkpoint.treeSize };
    if (checkpoint.number !== before.number + 1) {
      const missing = `${before.number + 1} to ${checkpoint.number - 1}`;
      this.#find('checkpoint-missing', `Checkpoints ${missing} are missing.`, { range });
    }
    const vouchedFor = this.#vouchedFor(checkpoint);
    if (vouchedFor === undefined) {
      const message = `Checkpoint ${checkpoint.number} does not match its signature.`;
      this.#find('checkpoint-changed', message, { range });
    }

    if (records === 'dropped') {
      this.#dropped += checkpoint.treeSize - before.frontier.size;
      const known = this.#newestDroppedMonth ?? '';
      // A straggler may have been sealed after records of the month that followed.
      this.#newestDroppedMonth = checkpoint.month > known ? checkpoint.month : known;
    }
    const recomputed = records === 'dropped' ? undefined : this.#recompute(checkpoint, records, vouchedFor);
    this.#position = { number: checkpoint.number, frontier: vouchedFor ?? recomputed ?? before.frontier };
    this.#newest = checkpoint;
  }

  /** Records that lie before where the sealer has come, and in no checkpoint. */
  checkOutside(records: readonly AuditRecord[]): void {
    if (records.length === 0) return;
    const message = `${records.length} records are in no checkpoint, although the sealer has already passed them.`;
    this.#find('record-outside', message, { records: records.map(({ id }) => id) });
  }

  finish(): TenantVerdict {
    const month = this.#newestDroppedMonth?.slice(0, 7);
    // Older months were dropped before it; the records of that may be gone themselves.
    if (month !== undefined && !this.#removedMonths.has(month)) {
      this.#find('month-removed', `The records of ${month} are gone, with no record that they were dropped.`);
    }
    return {
      tenantId: this.#tenantId,
      verified: this.#verified,
      dropped: this.#dropped,
      findings: this.#findings,
      newest: this.#newest,
    };
  }

  /** The tree that the signature vouches for; undefined where the checkpoint was tampered with. */
  #vouchedFor(checkpoint: StoredCheckpoint): MerkleFrontier | undefined {
    if (checkpoint.tenantId !== this.#tenantId || !isGenuine(checkpoint, this.#publicKey)) return undefined;
    const frontier = MerkleFrontier.parse(checkpoint.treeSize, checkpoint.frontier);
    return frontier?.root().equals(checkpoint.root) === true ? frontier : undefined;
  }

  #recompute(
    checkpoint: StoredCheckpoint,
    records: readonly AuditRecord[],
    vouchedFor: MerkleFrontier | undefined,
  ): MerkleFrontier {
    const frontier = this.#position.frontier.copy();
    const range = { from: frontier.size, to: checkpoint.treeSize };
    const ordered = records.toSorted(compareRecords);
    const leaves = ordered.map(hashRecord);
    for (const leaf of leaves) frontier.append(leaf);

    const isRight =
      vouchedFor !== undefined && frontier.size === vouchedFor.size && frontier.root().equals(vouchedFor.root());
    if (isRight) {
      this.#verified += ordered.length;
      for (const record of ordered) if (isRemoval(record)) this.#removedMonths.add(record.entity_id);
      return frontier;
    }
    const surplus = ordered.length - (checkpoint.treeSize - range.from);
    const foreign = ordered.filter((record) => monthOf(record.created_at) !== checkpoint.month).map(({ id }) => id);
    const narrow = vouchedFor === undefined ? undefined : narrowDown(this.#position.frontier, vouchedFor, leaves);
    const suspect = narrow?.leaf === undefined ? [] : ordered.slice(narrow.leaf, narrow.leaf + 1).map(({ id }) => id);
    const ids = foreign.length > 0 ? foreign : suspect;
    const named = {
      range,
      ...(narrow === undefined ? {} : { within: narrow.places }),
      ...(ids.length === 0 ? {} : { records: ids }),
    };
    const place = `checkpoint ${checkpoint.number}, sealed at ${checkpoint.sealedAt.toISOString()}`;
    if (surplus < 0) this.#find('records-missing', `${-surplus} records are missing in ${place}.`, named);
    else if (surplus > 0) this.#find('records-added', `${surplus} records were added in ${place}.`, named);
    // A checkpoint that was tampered with has its finding already, and vouches for nothing.
    else if (vouchedFor !== undefined) this.#find('records-changed', `Records were changed in ${place}.`, named);
    return frontier;
  }

  #find(kind: FindingKind, message: string, place: Pick<Finding, 'range' | 'within' | 'records'> = {}): void {
    this.#findings.push({ kind, tenantId: this.#tenantId, ...place, message });
  }
}

/** Less than the three months for which the database refuses to drop anything would be no record of retention. */
const monthsKeptMin = 3;

/** The record that a month was dropped, which retention writes before it does. */
function isRemoval(record: AuditRecord): boolean {
  const isOfRetention =
    record.entity_type === 'log' &&
    record.operation === 'delete' &&
    record.outcome === 'success' &&
    record.actor_type === 'system';
  const droppableFrom = new Date(`${record.entity_id}-01T00:00:00Z`);
  droppableFrom.setUTCMonth(droppableFrom.getUTCMonth() + 1 + monthsKeptMin);
  return isOfRetention && record.created_at >= droppableFrom.getTime();
}
