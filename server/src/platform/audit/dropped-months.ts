import type { AuditRecord } from '../../core/audit/record-text.ts';
import type { LogTree } from '../../core/audit/log-tree.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { isOfRetention, isSameRemoval, type MonthRemoval, parseRemoval } from './month-removal.ts';

/** Removals were not signed before. Nobody chooses when a checkpoint was sealed, so whoever forges one today cannot predate it. */
const unsignedUntil = Date.UTC(2027, 1, 1);
/** The shortest retention that there has ever been, in whole months. */
const monthsKeptMin = 4;

type SeenCheckpoint = Pick<SignedCheckpoint, 'number' | 'root'>;

/** Which months of one tree are gone, and whether it was retention that dropped them. */
export class DroppedMonths {
  readonly #tree: LogTree;
  readonly #publicKey: Buffer;
  readonly #newest = new Map<string, SeenCheckpoint>();
  /** The newest checkpoint of each month whose records are gone. */
  readonly #dropped = new Map<string, number>();
  readonly #removals: Pick<MonthRemoval, 'month' | 'number'>[] = [];

  constructor(tree: LogTree, publicKey: Buffer) {
    this.#tree = tree;
    this.#publicKey = publicKey;
  }

  /** Takes every checkpoint, in the order of their numbers. */
  see({ month, number, root }: SignedCheckpoint, isDropped: boolean): void {
    this.#newest.set(month, { number, root });
    if (isDropped) this.#dropped.set(month, number);
  }

  /** Takes the records that are as they were sealed, after the checkpoint that seals them. */
  hear(records: readonly AuditRecord[], { sealedAt }: Pick<SignedCheckpoint, 'sealedAt'>): void {
    for (const record of records.filter(isOfRetention)) {
      const { entity_id: month, details } = record;
      const signed = parseRemoval({ month, details }, this.#tree, this.#publicKey);
      const newest = this.#newest.get(`${month}-01`);
      if (signed !== undefined) {
        // Of a log that was cut back and has grown again, it would name a checkpoint of the old one.
        if (newest !== undefined && isSameRemoval(signed, newest)) this.#removals.push(signed);
      } else if (couldBeUnsigned(month, sealedAt))
        this.#removals.push({ month: `${month}-01`, number: Number.POSITIVE_INFINITY });
    }
  }

  /**
   * The newest month that is gone and that retention has not dropped. Retention begins with the oldest, so a removal holds for what lies
   * before it too: the record of that may be gone itself.
   */
  findUnexplained(): string | undefined {
    return [...this.#dropped]
      .filter(
        ([month, number]) => !this.#removals.some((removal) => removal.month >= month && removal.number >= number),
      )
      .map(([month]) => month)
      .toSorted()
      .at(-1);
  }
}

/** By when its checkpoint was sealed: when the record was created is what whoever wrote it says. */
function couldBeUnsigned(month: string, sealedAt: Date): boolean {
  // Anything else may be read as an old date and still sort behind every month.
  if (!/^\d{4}-\d{2}$/.test(month)) return false;
  const droppableFrom = new Date(`${month}-01T00:00:00Z`);
  droppableFrom.setUTCMonth(droppableFrom.getUTCMonth() + 1 + monthsKeptMin);
  return sealedAt.getTime() < unsignedUntil && sealedAt >= droppableFrom;
}
