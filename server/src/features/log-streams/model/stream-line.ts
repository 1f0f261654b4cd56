import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { toCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';

/** A sealed record with its position in the log of its tenant, counted from 0. */
export type RecordLine = { readonly kind: 'record'; readonly position: number } & AuditRecord;

/**
 * The checkpoint that covers the records before it. `dropped` means that retention had dropped its records before they
 * were sent, and `base` that the stream begins after it.
 */
export type CheckpointLine = {
  readonly kind: 'checkpoint';
  readonly frontier: string;
  readonly dropped?: true;
  readonly base?: true;
} & ReturnType<typeof toCheckpointJson>;

/** A line of a stream. A repeated line is equal to the first one. */
export type StreamLine = RecordLine | CheckpointLine;

export function toRecordLine(record: AuditRecord, position: number): RecordLine {
  return { kind: 'record', position, ...record };
}

export function toCheckpointLine(checkpoint: StoredCheckpoint, mark?: 'dropped' | 'base'): CheckpointLine {
  return {
    kind: 'checkpoint',
    ...toCheckpointJson(checkpoint),
    frontier: checkpoint.frontier.toString('base64'),
    ...(mark === undefined ? {} : { [mark]: true as const }),
  };
}

/** Returns an id that a repeated line has again, so that a receiver can tell it from a new one. */
export function lineIdOf(line: StreamLine): string {
  return `${line.tenant_id}/${line.kind}/${line.kind === 'record' ? line.position : line.number}`;
}

/** Returns when a record was created or a checkpoint sealed, in milliseconds. */
export function lineTimeOf(line: StreamLine): number {
  return line.kind === 'record' ? line.created_at : Date.parse(line.sealed_at);
}
