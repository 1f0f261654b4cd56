import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { lockTenant } from '../../platform/database/open-tenant.ts';
import {
  type ApprovalDescription,
  type ApprovalEffect,
  type ApprovalRequest,
  type ApprovedRequest,
  requireSameBasis,
  staleRequest,
} from '../approvals/index.ts';
import { type Role, roles } from './member.ts';
import { putRole, requireChangeable } from './member-service.ts';
import { promotionSentences } from './promotion.ts';
import { MemberStore } from './member-store.ts';

/** Gives a member the approved role. */
export class RoleApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    await lockTenant(tx, tenantId);
    await new MemberStore(tx, tenantId).lock(subjectId);
  }

  async describe(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription> {
    const member = await new MemberStore(tx, tenantId).find(request.subjectId);
    const who = member?.email ?? 'a member';
    const role = parseRole(request);
    const before = member === undefined ? [] : [`role removed: ${member.role}`];
    return {
      title: `${who} becomes ${role}`,
      sentences: promotionSentences,
      changes: [...before, `role added: ${role}`],
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { subjectId: id, requestedBy } = request;
    const current = await new MemberStore(tx, approver.tenantId).lock(id);
    if (current === undefined) throw staleRequest('the member has been removed');
    requireSameBasis(request, current.role);
    if (!isGranted(requester.grants, 'tenant:member:update')) throw missingPermission('tenant:member:update');
    const role = parseRole(request);
    await requireChangeable(tx, requester, { before: current.role, after: role });
    await putRole(tx, { id, before: current.role, after: role, actor: approver, requester: requestedBy });
  }

  /** Does nothing, because nothing was created for the request. */
  async discard(): Promise<void> {}
}

function parseRole({ change }: ApprovalRequest): Role {
  const role = roles.find(
    (one) => typeof change === 'object' && change !== null && 'role' in change && change.role === one,
  );
  if (role === undefined) throw new TypeError('A request for a role must name it.');
  return role;
}
