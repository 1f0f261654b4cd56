import type { AuditRecord } from '../../../core/audit/record-text.ts';
import type { SignedCheckpoint } from '../seal/checkpoint.ts';
import { isOfRetention, isSameRemoval, type MonthRemoval, parseRemoval } from './month-removal.ts';

type SeenCheckpoint = Pick<SignedCheckpoint, 'number' | 'root'>;

/** Tracks which months of a tenant's log are gone, and whether retention dropped them. */
export class DroppedMonths {
  readonly #tenantId: string;
  readonly #publicKey: Buffer;
  readonly #newest = new Map<string, SeenCheckpoint>();
  /** The number of the newest checkpoint of each month whose records are gone. */
  readonly #dropped = new Map<string, number>();
  readonly #removals: Pick<MonthRemoval, 'month' | 'number' | 'isArchived'>[] = [];

  constructor(tenantId: string, publicKey: Buffer) {
    this.#tenantId = tenantId;
    this.#publicKey = publicKey;
  }

  /** Must be called for every checkpoint, in the order of their numbers. */
  addCheckpoint({ month, number, root }: SignedCheckpoint, isDropped: boolean): void {
    this.#newest.set(month, { number, root });
    if (isDropped) this.#dropped.set(month, number);
  }

  /** Must be called with verified records only, after the checkpoint that seals them was added. */
  addRecords(records: readonly AuditRecord[]): void {
    for (const { entity_id: month, details } of records.filter(isOfRetention)) {
      const removal = parseRemoval({ month, details }, this.#tenantId, this.#publicKey);
      const newest = this.#newest.get(`${month}-01`);
      // If the log was truncated and has grown since, an old removal refers to a checkpoint that no longer exists.
      if (removal !== undefined && newest !== undefined && isSameRemoval(removal, newest)) this.#removals.push(removal);
    }
  }

  /** Lists the months whose records are gone although they were archived, such as `2026-05`. */
  listArchived(): string[] {
    const archived = this.#removals.filter(({ month, isArchived }) => isArchived === true && this.#dropped.has(month));
    return [...new Set(archived.map(({ month }) => month.slice(0, 7)))];
  }

  /**
   * Returns the newest month that is missing but was not dropped by retention. Retention drops the oldest month first,
   * so a removal also accounts for every earlier month. The records of those earlier removals may have been dropped
   * themselves.
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
