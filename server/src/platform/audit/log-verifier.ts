import type { AuditRecord } from '../../core/audit/record-text.ts';
import { compareRecords, hashRecord, monthOf } from './audit-record.ts';
import { type LogTree, nameOfTree, toNodeMember } from '../../core/audit/log-tree.ts';
import { isGenuine, type SignedCheckpoint } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { DroppedMonths } from './dropped-months.ts';
import { narrowDown, type Places } from './finding-place.ts';
import { MerkleFrontier } from './merkle-tree.ts';

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
  | 'log-missing'
  | 'node-differs'
  | 'anchor-differs';

/** Something that is not as it was sealed, and where. */
export interface Finding extends LogTree {
  readonly kind: FindingKind;
  /** Places in the tenant's log in this database, counted from 0, half open. */
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

export interface TenantVerdict extends LogTree {
  readonly verified: number;
  readonly dropped: number;
  readonly findings: readonly Finding[];
  readonly newest: SignedCheckpoint | undefined;
}

/** Between the clocks of a database and of a worker, and more. */
const clockDifferenceMaxMs = 24 * 3_600_000;

interface TreePosition {
  readonly number: number;
  readonly frontier: MerkleFrontier;
}

/**
 * Recomputes one tree of a tenant, checkpoint by checkpoint. After a finding it goes on from what the checkpoint vouches
 * for, so that one change gives one finding and later ones are still seen.
 */
export class LogVerifier {
  readonly #tree: LogTree;
  readonly #publicKey: Buffer;
  readonly #findings: Finding[] = [];
  readonly #months: DroppedMonths;
  #position: TreePosition = { number: 0, frontier: MerkleFrontier.empty() };
  #newest: SignedCheckpoint | undefined;
  #verified = 0;
  #dropped = 0;

  /** `after` is a checkpoint that was verified before: the log is taken up behind it. */
  constructor(of: {
    tenantId: string;
    /** The name of the database, unless it is the home database. */
    node?: string | undefined;
    publicKey: Buffer;
    after?: StoredCheckpoint;
  }) {
    this.#tree = { tenantId: of.tenantId, ...toNodeMember(of) };
    this.#publicKey = of.publicKey;
    this.#months = new DroppedMonths(this.#tree, of.publicKey);
    const known = of.after === undefined ? undefined : this.#vouchedFor(of.after);
    if (of.after !== undefined && known !== undefined) this.#position = { number: of.after.number, frontier: known };
  }

  /** Takes the sections in the order of their numbers. Returns those of the records that are as they were sealed. */
  check({ checkpoint, records }: LogSection): readonly AuditRecord[] {
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

    this.#months.see(checkpoint, records === 'dropped');
    if (records === 'dropped') this.#dropped += checkpoint.treeSize - before.frontier.size;
    const verified = this.#verified;
    const recomputed = records === 'dropped' ? undefined : this.#recompute(checkpoint, records, vouchedFor);
    this.#position = { number: checkpoint.number, frontier: vouchedFor ?? recomputed ?? before.frontier };
    this.#newest = checkpoint;
    return records === 'dropped' || this.#verified === verified ? [] : records;
  }

  /** Records that lie before where the sealer has come, and in no checkpoint. */
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
        `The records of ${month} are gone, with no record of the vault that it dropped them.`,
      );
    }
    return {
      ...this.#tree,
      verified: this.#verified,
      dropped: this.#dropped,
      findings: this.#findings,
      newest: this.#newest,
    };
  }

  /** The tree that the signature vouches for; undefined where the checkpoint was tampered with. */
  #vouchedFor(checkpoint: StoredCheckpoint): MerkleFrontier | undefined {
    if (nameOfTree(checkpoint) !== nameOfTree(this.#tree) || !isGenuine(checkpoint, this.#publicKey)) return undefined;
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
      this.#months.hear(ordered, checkpoint);
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
    // A checkpoint that was tampered with has its finding already, and vouches for nothing.
    else if (vouchedFor !== undefined) this.#find('records-changed', `Records were changed in ${place}.`, named);
    return frontier;
  }

  /** The sealer signs what it finds: that a record was created after it was sealed is all that tells of a time somebody made up. */
  #checkTimes({ number, sealedAt }: StoredCheckpoint, records: readonly AuditRecord[]): void {
    const ahead = records.filter(({ created_at }) => created_at > sealedAt.getTime() + clockDifferenceMaxMs);
    if (ahead.length === 0) return;
    const message = `${ahead.length} records in checkpoint ${number} say that they were created after it was sealed, at ${sealedAt.toISOString()}.`;
    this.#find('record-postdated', message, { records: ahead.map(({ id }) => id) });
  }

  #find(kind: FindingKind, message: string, place: Pick<Finding, 'range' | 'within' | 'records'> = {}): void {
    this.#findings.push({ kind, ...this.#tree, ...place, message });
  }
}
