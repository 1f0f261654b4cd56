import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { UserCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { AuditDetails, AuditEvent, EntityType, Operation } from '../../platform/audit/record/audit-event.ts';
import type { Transaction } from '../../platform/database/database.ts';

export const approvalKinds = ['application', 'key', 'role', 'invitation', 'settings'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** `stale`: it was approved, but no longer applied. */
export const approvalStatuses = ['pending', 'approved', 'refused', 'expired', 'stale'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export const approvalLifetimeSeconds = 72 * 60 * 60;

/** An approval that a member has given. */
interface Given {
  readonly userId: string;
  readonly email: string | null;
  readonly approvedAt: Date;
}

/** A change that would widen access to plaintext, with who wants it and who has approved it. */
export interface ApprovalRequest {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** The application, key, member, invitation or tenant that would change. */
  readonly subjectId: string;
  /** The application that a key belongs to. */
  readonly applicationId: string | null;
  /** What would be put into force, as the feature that it belongs to has written it. */
  readonly change: unknown;
  /** Digest of what was in force when it was requested. */
  readonly basis: string;
  readonly requestedBy: string;
  /** The key that an application used; null if a member requested it. */
  readonly requestedKey: string | null;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly approvalsNeeded: number;
  /** Only from people who may still approve. */
  readonly approvals: readonly Given[];
  readonly status: ApprovalStatus;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

/** Somebody whose approval counts, if the rules allow it. */
export interface Approver {
  readonly userId: string;
  /** When the sign-in method was set up that they signed in with. */
  readonly provenSince: Date;
}

/** A request that has all its approvals. */
export interface ApprovedRequest {
  readonly request: ApprovalRequest;
  /** Who requested it, with the rights that they have now. */
  readonly requester: Caller;
  /** Whose approval was the last that it needed. */
  readonly approver: UserCaller;
}

/** What a request is about, for people who decide about it. */
export interface ApprovalDescription {
  readonly title: string;
  /** What it would allow, in plain sentences. */
  readonly sentences: readonly string[];
  /** What exactly would be added and removed. */
  readonly changes: readonly string[];
}

/** What a feature does with the requests of one kind. */
export interface ApprovalEffect {
  /** Locks what would change, as the feature does before it requests an approval, so that both take locks in the same order. */
  lock(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<void>;
  /** Reads what people need to know, from what is stored and not from the request alone. */
  describe(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription>;
  /**
   * Puts the change into force and records it. Throws a `DomainError` before it has written anything if the request is stale: what
   * it was based on has changed, or its requester could not request it now.
   */
  apply(tx: Transaction, approved: ApprovedRequest): Promise<void>;
  /** Removes what was created for the request and is of no use without it, after a refusal or when it expires. */
  discard(tx: Transaction, tenantId: TenantId, request: ApprovalRequest, actor: UserCaller | 'system'): Promise<void>;
}

const entityTypes: Readonly<Record<ApprovalKind, EntityType>> = {
  application: 'application',
  key: 'application',
  role: 'member',
  invitation: 'invitation',
  settings: 'tenant',
};

/** The record of a step of a request. All of them but the first name its requester, whoever takes the step. */
export function approvalEvent(
  request: Pick<ApprovalRequest, 'kind' | 'subjectId' | 'applicationId'>,
  operation: Operation,
  details: AuditDetails,
): AuditEvent {
  const { kind, subjectId, applicationId } = request;
  return {
    entityType: entityTypes[kind],
    entityId: applicationId ?? subjectId,
    operation,
    outcome: 'success',
    details,
  };
}

export function noSuchRequest(): DomainError {
  return new DomainError('not-found', 'There is no such request for approval.');
}

/** Thrown by `apply`: what was approved is no longer what would happen. */
export function staleRequest(why: string): DomainError {
  return new DomainError('forbidden', `The request no longer applies: ${why}. It has ended and can be made again.`);
}
