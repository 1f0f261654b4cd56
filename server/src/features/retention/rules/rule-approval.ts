import { isGranted, missingPermission } from '../../../core/access/decide-access.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
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
import { describeRule, graceHours, ruleDetails, ruleEvent } from './retention-rule.ts';
import { RetentionRuleStore } from './retention-rule-store.ts';

/** Puts retention rules into force after they have been approved. */
export class RuleApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId): Promise<void> {
    await lockTenant(tx, tenantId);
  }

  async describe(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<ApprovalDescription> {
    const rule = await new RetentionRuleStore(tx, tenantId).find(subjectId);
    return {
      title: 'Retention rule',
      sentences: [
        `Tokens would be removed for good, beginning ${graceHours} hours after the approval. Legal holds keep theirs.`,
      ],
      changes: rule === undefined ? [] : describeRule(rule),
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = new RetentionRuleStore(tx, tenantId);
    const rule = await store.find(request.subjectId);
    if (rule === undefined) throw staleRequest('the rule has been deleted');
    requireSameBasis(request, describeRule(rule).join('\n'));
    if (!isGranted(requester.grants, 'retention:update')) throw missingPermission('retention:update');
    await store.putIntoForce(rule.id);
    const details = { ...ruleDetails(rule), requester: request.requestedBy };
    await recordInTransaction(tx, tenantId, approver, ruleEvent(rule.id, 'configure', details));
  }

  /** Deletes the rule, which never had an effect. */
  async discard(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    await new RetentionRuleStore(tx, tenantId).delete(subjectId);
  }
}
