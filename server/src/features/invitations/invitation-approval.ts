import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import { actorIdOf, type UserCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { databaseClock } from '../../platform/database/database-clock.ts';
import {
  type ApprovalDescription,
  type ApprovalEffect,
  type ApprovalRequest,
  type ApprovedRequest,
  requireSameBasis,
  staleRequest,
} from '../approvals/index.ts';
import { findGranter, MemberStore, promotionSentences } from '../members/index.ts';
import { invitationEvent } from './invitation.ts';
import type { InvitationLinks } from './invitation-link.ts';
import { InvitationStore } from './invitation-store.ts';

/** Sends an approved invitation. It has no link before its approval. */
export class InvitationApproval implements ApprovalEffect {
  readonly #links: InvitationLinks;

  constructor(links: InvitationLinks) {
    this.#links = links;
  }

  async lock(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    await storeOf(tx, tenantId).lock(subjectId);
  }

  async describe(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<ApprovalDescription> {
    const invitation = await storeOf(tx, tenantId).find(subjectId);
    if (invitation === undefined) return { title: 'Invitation that is gone', sentences: [], changes: [] };
    const { email, role } = invitation;
    return { title: `${email} is invited as ${role}`, sentences: promotionSentences, changes: [`role added: ${role}`] };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = storeOf(tx, tenantId);
    const current = await store.lock(request.subjectId);
    if (current === undefined) throw staleRequest('the invitation has been deleted');
    requireSameBasis(request, current.role);
    if (!isGranted(requester.grants, 'tenant:invitation:create')) throw missingPermission('tenant:invitation:create');
    if (await new MemberStore(tx, tenantId).hasEmail(current.email))
      throw staleRequest('the person has become a member');
    const link = this.#links.make(current.id, current.email);
    const invitation = await store.release(current.id, link, {
      modifiedBy: actorIdOf(requester),
      grantedBy: await findGranter(tx, requester),
    });
    await store.enqueueMail(invitation);
    await recordInTransaction(tx, tenantId, approver, {
      ...invitationEvent(current.id, 'update'),
      details: { requester: request.requestedBy },
    });
  }

  async discard(
    tx: Transaction,
    tenantId: TenantId,
    { subjectId }: ApprovalRequest,
    actor: UserCaller | 'system',
  ): Promise<void> {
    if (!(await storeOf(tx, tenantId).delete(subjectId))) return;
    await recordInTransaction(tx, tenantId, actor, invitationEvent(subjectId, 'delete'));
  }
}

function storeOf(tx: Transaction, tenantId: TenantId): InvitationStore {
  return new InvitationStore(tx, tenantId, databaseClock);
}
