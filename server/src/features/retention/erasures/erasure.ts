import { DomainError } from '../../../core/errors/domain-error.ts';
import {
  type AuditDetails,
  type AuditEvent,
  noSingleEntity,
  type Operation,
  type Outcome,
} from '../../../platform/audit/record/audit-event.ts';
import type { WithApproval } from '../../approvals/index.ts';

/** The most tokens of one erasure. A receipt lists each of them. */
export const erasedMax = 1_000_000;
/** The most erasures of a tenant that are not over. */
export const openErasuresMax = 20;
/** How long an erasure that was counted can be confirmed. */
export const countedHours = 24;

/**
 * An erasure begins by counting. Once it is confirmed, and approved if the tenant requires that, a worker removes the
 * tokens, and then waits until the log of it is sealed to write the receipt.
 */
export const erasureStatuses = [
  'counted',
  'awaiting_approval',
  'queued',
  'running',
  'sealing',
  'finished',
  'cancelled',
  'stopped',
] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

/** The tokens to erase: those that meet everything that is given. */
export interface Selection {
  readonly container: string | null;
  readonly type: string | null;
  /** Pairs of metadata, with lower-cased values. When the erasure is over, digests are in place of the values. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Erasure {
  readonly id: string;
  readonly status: ErasureStatus;
  readonly selection: Selection;
  /**
   * True if the requester could not delete every token, at first or in any batch, so that others that match may be
   * left.
   */
  readonly isLimited: boolean;
  readonly counted: number;
  /** The most tokens that it may remove. Null until it is confirmed. */
  readonly confirmed: number | null;
  /** How many more match, but are kept by a legal hold: first as counted, and in the end as the run has left them. */
  readonly held: number;
  readonly removed: number;
  readonly createdBy: string | null;
  /** The key of the application that asked for it. Null for a member and for the operator. */
  readonly createdKey: string | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly startedAt: Date | null;
  /** When its last token was removed. */
  readonly sealingAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why it stopped before its end. */
  readonly reason: string | null;
}

/** Returns the most tokens that an erasure may remove. An earlier version did not note what was confirmed. */
export function mostRemoved({ confirmed, counted }: Pick<Erasure, 'confirmed' | 'counted'>): number {
  return confirmed ?? counted;
}

export type ShownErasure = WithApproval<Erasure>;

/** Returns true if no worker will do anything more for the erasure. */
export function isOver({ status }: Pick<Erasure, 'status'>): boolean {
  return status === 'finished' || status === 'cancelled' || status === 'stopped';
}

export function erasureEvent(
  id: string = noSingleEntity,
  operation: Operation = 'read',
  { outcome = 'success', details }: { readonly outcome?: Outcome; readonly details?: AuditDetails } = {},
): AuditEvent {
  const event = { entityType: 'erasure', entityId: id, operation, outcome } as const;
  return details === undefined ? event : { ...event, details };
}

export function noSuchErasure(): DomainError {
  return new DomainError('not-found', 'There is no such erasure.');
}

/** Returns what an erasure would remove, in words without values that people chose. */
export function describeSelection({ container, type, metadata }: Selection): string[] {
  return [
    ...(container === null ? [] : [`erases tokens in ${container}`]),
    ...(type === null ? [] : [`erases tokens of type ${type}`]),
    ...Object.keys(metadata).map(() => 'erases tokens with a pair of metadata'),
  ];
}
