import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { compareRecords, hashRecord, monthOf } from '../seal/audit-record.ts';
import { isGenuine, type SignedCheckpoint } from '../seal/checkpoint.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import { DroppedMonths } from '../retention/dropped-months.ts';
import { narrowDown, type Places } from './finding-place.ts';
import { MerkleFrontier } from '../seal/merkle-tree.ts';

export type FindingKind =
  | 'records-changed'
  | 'records-missing'
  | 'records-added'
  | 'record-outside'
  | 'record-postdated'
  | 'checkpoint-changed'
  | 'checkpoint-missing'
  | 'month-removed'
  | 'sealing-stopped'
  | 'anchor-differs';

/** A difference from what was sealed, and its location. */
export interface Finding {
  readonly kind: FindingKind;
  readonly tenantId: string;
  /** The positions in the tenant's log, counted from 0 with an exclusive end. */
  readonly range?: Places;
  /** The part of the range that differs from what was sealed, if the tree reveals it. */
  readonly within?: Places;
  /** The ids of the records, if they are known. */
  readonly records?: readonly string[];
  readonly message: string;
}

/** A checkpoint with its records, or `dropped` if their month was dropped. */
export interface LogSection {
  readonly checkpoint: StoredCheckpoint;
  readonly records: readonly AuditRecord[] | 'dropped';
}

export interface TenantVerdict {
  readonly tenantId: string;
  readonly verified: number;
  readonly dropped: number;
  /** The months that were archived, and whose records are not there. Without an archive, that is as it should be. */
  readonly archivedMonths: readonly string[];
  readonly findings: readonly Finding[];
  readonly newest: SignedCheckpoint | undefined;
}

const idsMax = 100;

/** A limit well above any plausible difference between the clocks of a database and a worker. */
const clockDifferenceMaxMs = 24 * 3_600_000;

interface TreePosition {
  readonly number: number;
  readonly frontier: MerkleFrontier;
}

/**
 * Recomputes the tree of one tenant, checkpoint by checkpoint. After a finding it continues from the tree that the
 * checkpoint signs, so that one change causes one finding and later changes are still detected.
 */
export class LogVerifier {
  readonly #tenantId: string;
  readonly #publicKey: Buffer;
  readonly #findings: Finding[] = [];
  readonly #months: DroppedMonths;
  #position: TreePosition = { number: 0, frontier: MerkleFrontier.empty() };
  #newest: SignedCheckpoint | undefined;
  #verified = 0;
  #dropped = 0;

  /** `after` is a checkpoint that was already verified. Verification continues with the next one. */
  constructor(of: {
    tenantId: string;
    publicKey: Buffer;
    after?: StoredCheckpoint;
  }) {
    this.#tenantId = of.tenantId;
    this.#publicKey = of.publicKey;
    this.#months = new DroppedMonths(of.tenantId, of.publicKey);
    const known = of.after === undefined ? undefined : this.#vouchedFor(of.after);
    if (of.after !== undefined && known !== undefined) this.#position = { number: of.after.number, frontier: known };
  }

  /** Checks one section. Sections must be passed in the order of their numbers. */
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

    this.#months.addCheckpoint(checkpoint, records === 'dropped');
    if (records === 'dropped') this.#dropped += checkpoint.treeSize - before.frontier.size;
    const recomputed = records === 'dropped' ? undefined : this.#recompute(checkpoint, records, vouchedFor);
    this.#position = { number: checkpoint.number, frontier: vouchedFor ?? recomputed ?? before.frontier };
    this.#newest = checkpoint;
  }

  /** Reports records that the sealer has passed although they are in no checkpoint. */
  checkOutside(records: readonly AuditRecord[]): void {
    if (records.length === 0) return;
    const message = `${records.length} records are in no checkpoint, although the sealer has already passed them.`;
    this.#find('record-outside', message, { records: records.map(({ id }) => id) });
  }

  finish(): TenantVerdict {
    const month = this.#months.findUnexplained()?.slice(0, 7);
    if (month !== undefined) {
      this.#find(
        'month-removed',
        `The records of ${month} are gone, and no signed record says that retention dropped them.`,
      );
    }
    return {
      tenantId: this.#tenantId,
      verified: this.#verified,
      dropped: this.#dropped,
      archivedMonths: this.#months.listArchived(),
      findings: this.#findings,
      newest: this.#newest,
    };
  }

  /** Returns the tree that the signature confirms, or undefined if the checkpoint was tampered with. */
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
      this.#months.addRecords(ordered);
      this.#checkTimes(checkpoint, ordered);
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
    // A tampered checkpoint already has a finding, and its records cannot be checked against it.
    else if (vouchedFor !== undefined) this.#find('records-changed', `Records were changed in ${place}.`, named);
    return frontier;
  }

  /**
   * Reports records created after their sealing time. The sealer signs whatever it finds, so nothing else would reveal
   * a forged creation time.
   */
  #checkTimes({ number, sealedAt }: StoredCheckpoint, records: readonly AuditRecord[]): void {
    const ahead = records.filter(({ created_at }) => created_at > sealedAt.getTime() + clockDifferenceMaxMs);
    if (ahead.length === 0) return;
    const message = `${ahead.length} records in checkpoint ${number} claim to have been created after it was sealed, at ${sealedAt.toISOString()}.`;
    this.#find('record-postdated', message, { records: ahead.slice(0, idsMax).map(({ id }) => id) });
  }

  #find(kind: FindingKind, message: string, place: Pick<Finding, 'range' | 'within' | 'records'> = {}): void {
    this.#findings.push({ kind, tenantId: this.#tenantId, ...place, message });
  }
}
