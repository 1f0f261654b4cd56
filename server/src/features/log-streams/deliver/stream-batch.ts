import { compareRecords } from '../../../platform/audit/seal/audit-record.ts';
import type { LogSection } from '../../../platform/audit/verify/log-verifier.ts';
import { type StreamLine, toCheckpointLine, toRecordLine } from '../model/stream-line.ts';
import type { PositionStep } from '../model/stream-store.ts';

/** A batch is sent as soon as it has this many lines. A checkpoint has a thousand records at most. */
const linesMax = 1_000;

interface SectionStart {
  readonly number: number;
  readonly size: number;
  /** When the stream began. Records that were dropped later are lost to it. */
  readonly startedAt: Date;
}

/** Lines that are sent together, and the positions after them. The last line is a checkpoint. */
export class StreamBatch {
  readonly #lines: StreamLine[] = [];
  readonly #steps = new Map<string, PositionStep>();
  #lost = 0;

  get lines(): readonly StreamLine[] {
    return this.#lines;
  }

  get steps(): readonly PositionStep[] {
    return [...this.#steps.values()];
  }

  /** The number of records that retention dropped although the stream had begun. */
  get lost(): number {
    return this.#lost;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  get isFull(): boolean {
    return this.#lines.length >= linesMax;
  }

  /** Adds the checkpoint that a stream begins after. */
  addBase(checkpoint: LogSection['checkpoint']): void {
    this.#lines.push(toCheckpointLine(checkpoint, 'base'));
  }

  /** Adds the next section of a tenant's log. `before` says where its position and its tree are. */
  add({ checkpoint, records }: LogSection, before: SectionStart): void {
    const { tenantId, number, treeSize, sealedAt } = checkpoint;
    if (records === 'dropped') {
      if (sealedAt > before.startedAt) this.#lost += treeSize - before.size;
      this.#lines.push(toCheckpointLine(checkpoint, 'dropped'));
    } else {
      const ordered = records.toSorted(compareRecords);
      for (const [index, record] of ordered.entries()) this.#lines.push(toRecordLine(record, before.size + index));
      this.#lines.push(toCheckpointLine(checkpoint));
    }
    const from = this.#steps.get(tenantId)?.from ?? before.number;
    this.#steps.set(tenantId, { tenantId, from, to: number });
  }
}
