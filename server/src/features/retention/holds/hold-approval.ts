import { isGranted, missingPermission } from '../../../core/access/decide-access.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { actorIdOf } from '../../../core/identity/caller.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { lockTenant } from '../../../platform/database/open-tenant.ts';
import {
  type ApprovalDescription,
  type ApprovalEffect,
  type ApprovalRequest,
  type ApprovedRequest,
  requireSameBasis,
  staleRequest,
} from '../../approvals/index.ts';
import { describeHold, holdEvent } from './legal-hold.ts';
import { holdBasis, holdDetails } from './legal-hold-service.ts';
import { LegalHoldStore } from './legal-hold-store.ts';

/** Lifts legal holds after that has been approved. */
export class HoldApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId): Promise<void> {
    await lockTenant(tx, tenantId);
  }

  async describe(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<ApprovalDescription> {
    const hold = await new LegalHoldStore(tx, tenantId).find(subjectId);
    return {
      title: 'Lift a legal hold',
      sentences: [
        'Rules, erasures and requests could remove the tokens that the hold keeps.',
        ...(hold === undefined ? [] : [`The hold was set for this reason: ${hold.reason}`]),
      ],
      changes: hold === undefined ? [] : describeHold(hold),
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = new LegalHoldStore(tx, tenantId);
    const hold = await store.find(request.subjectId);
    if (hold === undefined) throw staleRequest('the hold does not exist any more');
    requireSameBasis(request, holdBasis(hold));
    if (!isGranted(requester.grants, 'retention:update')) throw missingPermission('retention:update');
    if (!(await store.lift(hold.id, actorIdOf(requester)))) throw staleRequest('the hold is over already');
    const details = { ...holdDetails(hold), requester: request.requestedBy };
    await recordInTransaction(tx, tenantId, approver, holdEvent(hold.id, 'remove', details));
  }

  /** Does nothing: the hold stays. */
  async discard(): Promise<void> {}
}
