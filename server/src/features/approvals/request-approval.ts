import { DomainError } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import type { AuditDetails } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { sha256 } from '../../platform/keyring/sealing/sha256.ts';
import { approvalEvent, type ApprovalKind, type ApprovalRequest, operatorId, staleRequest } from './approval.ts';
import { ApprovalStore } from './approval-store.ts';

/**
 * This is more than anybody decides in three days. All keys together can use half of it, so that even many keys cannot
 * keep members from making requests. Even if one member uses their own limit and all of the keys' share, other members
 * can still make requests.
 */
const pendingMax = 200;
const pendingMaxOfKeys = 100;
/** The limit of one member, and of all keys that act on the authority of the same member or of the operator. */
const pendingMaxOfOne = 50;

interface WantedChange {
  readonly kind: ApprovalKind;
  readonly subjectId: string;
  readonly applicationId?: string;
  readonly change: object;
  /** Text of the state in force. If it differs at the time of the approval, the request is stale. */
  readonly basis: string;
  /** The additions and removals of the change. */
  readonly details: AuditDetails;
}

/**
 * Stores a change until it is approved, replacing an earlier request for the same subject, and records the request.
 * Each change requires the consent of two people. For a member, these are the requester and one approver. For an
 * application, these are two approvers, because it is unknown which people have its key. The same applies to a session
 * that began with a link, because it is unknown who opened the link.
 */
export async function requestApproval(tx: Transaction, caller: Caller, wanted: WantedChange): Promise<ApprovalRequest> {
  const { kind, subjectId, applicationId = null, change } = wanted;
  const store = new ApprovalStore(tx, caller.tenantId);
  await store.withdraw(kind, subjectId);
  const requester = { requestedBy: actorIdOf(caller), requestedKey: 'userId' in caller ? null : caller.keyId };
  const pending = await store.countPending(requester);
  const areKeysFull = requester.requestedKey !== null && pending.ofKeys >= pendingMaxOfKeys;
  if (pending.all >= pendingMax || pending.own >= pendingMaxOfOne || areKeysFull) throw tooManyPending();
  const id = crypto.randomUUID();
  const isOneOfTwo = 'userId' in caller && caller.isProven;
  await store.insert({
    id,
    kind,
    subjectId,
    applicationId,
    change,
    basis: toBasis(wanted.basis),
    ...requester,
    approvalsNeeded: isOneOfTwo ? 1 : 2,
  });
  const request = await store.find(id);
  if (request === undefined) throw new Error('A request for approval was not stored.');
  const actor = requester.requestedBy === operatorId ? 'system' : caller;
  await recordInTransaction(tx, caller.tenantId, actor, approvalEvent(request, 'request', wanted.details));
  return request;
}

/** Throws if the state in force has changed since the approval was requested. */
export function requireSameBasis({ basis }: ApprovalRequest, current: string): void {
  if (basis !== toBasis(current)) throw staleRequest('what it would change has been changed since');
}

function toBasis(text: string): string {
  return sha256(Buffer.from(text, 'utf8')).toString('base64url');
}

function tooManyPending(): DomainError {
  return new DomainError(
    'validation-failed',
    `Too many changes wait for approval: at most ${pendingMax} in a tenant, ${pendingMaxOfKeys} of them from applications, ${pendingMaxOfOne} from one member, and ${pendingMaxOfOne} from applications that one member or the operator is behind. Have some approved or refused at /portal/approvals.`,
  );
}
