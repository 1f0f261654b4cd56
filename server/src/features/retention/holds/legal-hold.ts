import { DomainError } from '../../../core/errors/domain-error.ts';
import {
  type AuditDetails,
  type AuditEvent,
  noSingleEntity,
  type Operation,
  successEvent,
} from '../../../platform/audit/record/audit-event.ts';
import type { WithApproval } from '../../approvals/index.ts';

/** The most holds of a tenant in force. Every deletion compares its tokens with all of them. */
export const holdsMax = 100;
/** How many holds that are over are listed. The audit log has all of them. */
export const endedHoldsMax = 100;
/** How long a hold is kept after it is over. */
export const endedHoldDays = 365;

/** The tokens that a hold keeps: those that meet everything that is given. */
export interface HoldScope {
  readonly container: string | null;
  readonly type: string | null;
  readonly tokenId: string | null;
  readonly metadata: { readonly key: string; readonly value: string } | null;
}

/** Keeps tokens, whatever rules, erasures and requests say. */
export interface LegalHold extends HoldScope {
  readonly id: string;
  readonly reason: string;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date | null;
  readonly liftedAt: Date | null;
  readonly liftedBy: string | null;
}

/** A hold with its last request for approval to lift it. */
export type ShownHold = WithApproval<LegalHold>;

export function holdEvent(
  id: string = noSingleEntity,
  operation: Operation = 'read',
  details?: AuditDetails,
): AuditEvent {
  return { ...successEvent('legal_hold', id, operation), ...(details === undefined ? {} : { details }) };
}

/** Returns what a hold keeps, in words without values that people chose. */
export function describeHold({ container, type, tokenId, metadata }: HoldScope): string[] {
  return [
    ...(container === null ? [] : [`keeps tokens in ${container}`]),
    ...(type === null ? [] : [`keeps tokens of type ${type}`]),
    ...(tokenId === null ? [] : ['keeps one token']),
    ...(metadata === null ? [] : ['keeps tokens with one pair of metadata']),
  ];
}

export function isInForce({ liftedAt, endsAt }: LegalHold, now = new Date()): boolean {
  return liftedAt === null && (endsAt === null || endsAt > now);
}

export function noSuchHold(): DomainError {
  return new DomainError('not-found', 'There is no such legal hold, or it was forgotten after it ended.');
}
