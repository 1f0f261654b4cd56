import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { MemberCaller, UserCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { AuditDetails, AuditEvent, EntityType, Operation } from '../../platform/audit/record/audit-event.ts';
import type { Transaction } from '../../platform/database/database.ts';

export const approvalKinds = [
  'application',
  'key',
  'role',
  'invitation',
  'settings',
  'retention_rule',
  'legal_hold',
  'erasure',
] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** A `stale` request was approved, but could no longer be applied. */
export const approvalStatuses = ['pending', 'approved', 'refused', 'expired', 'stale'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export const approvalLifetimeSeconds = 72 * 60 * 60;

/** An approval that a member has given. */
interface Given {
  readonly userId: string;
  readonly email: string | null;
  readonly approvedAt: Date;
}

/** A change that would widen access to plaintext, with its requester and its approvers. */
export interface ApprovalRequest {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** What would change: the application, key, member, invitation, tenant, retention rule, legal hold or erasure. */
  readonly subjectId: string;
  /** The application that a key belongs to. */
  readonly applicationId: string | null;
  /** The change to put into force, in the format of the feature that it belongs to. */
  readonly change: unknown;
  /** Digest of the state that was in force at the time of the request. */
  readonly basis: string;
  readonly requestedBy: string;
  /** The key of the requesting application. Null if a member made the request. */
  readonly requestedKey: string | null;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly approvalsNeeded: number;
  /** The approvals of people who may still approve. */
  readonly approvals: readonly Given[];
  readonly status: ApprovalStatus;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

/** A person who wants to approve. The approval counts if the rules allow it. */
export interface Approver {
  readonly userId: string;
  /** The time at which the sign-in method that they used was set up. */
  readonly provenSince: Date;
}

/** A request that has all its approvals. */
export interface ApprovedRequest {
  readonly request: ApprovalRequest;
  /** The requester with their current rights. */
  readonly requester: Caller;
  /** The person who gave the last required approval. */
  readonly approver: UserCaller;
}

/** A description of a request for the people who decide it. */
export interface ApprovalDescription {
  readonly title: string;
  /** The access that the change would allow, in plain sentences. */
  readonly sentences: readonly string[];
  /** The exact additions and removals. */
  readonly changes: readonly string[];
}

/** The way in which a feature handles the requests of one kind. */
export interface ApprovalEffect {
  /**
   * Locks the subject of the change. The feature does the same before it requests an approval, so that both take locks
   * in the same order.
   */
  lock(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<void>;
  /** Describes the request from stored data, not from the request alone. */
  describe(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription>;
  /**
   * Puts the change into force and records it. Throws a `DomainError` before writing anything if the request is stale:
   * either its basis has changed, or its requester could not request it now.
   */
  apply(tx: Transaction, approved: ApprovedRequest): Promise<void>;
  /**
   * Deletes anything that was created for the request and is useless without it. Called if the request is refused,
   * expires or is stale.
   */
  discard(tx: Transaction, tenantId: TenantId, request: ApprovalRequest, actor: UserCaller | 'system'): Promise<void>;
}

const entityTypes: Readonly<Record<ApprovalKind, EntityType>> = {
  application: 'application',
  key: 'application',
  role: 'member',
  invitation: 'invitation',
  settings: 'tenant',
  retention_rule: 'retention_rule',
  legal_hold: 'legal_hold',
  erasure: 'erasure',
};

/** Returns the audit event for a step of a request. Every step except the first names the requester. */
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

/** Creates the error that `apply` throws if the approved change is no longer what would happen. */
export function staleRequest(why: string): DomainError {
  return new DomainError('forbidden', `The request no longer applies: ${why}. It has ended and can be made again.`);
}

/** The id under which the operator requests something that members have to approve. It belongs to nobody. */
export const operatorId = '00000000-0000-0000-0000-000000000000';

/** Returns the operator as a requester. Like for a key, it is unknown which person it is, so two members approve. */
export function operatorCaller(tenantId: TenantId): MemberCaller {
  return {
    tenantId,
    userId: operatorId,
    requestId: '',
    sourceAddress: '',
    role: 'OWNER',
    isProven: false,
    isByProvider: false,
    grants: { rules: [] },
  };
}
