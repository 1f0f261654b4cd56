import { toPlaintextSentences } from '../../core/rights-change/plaintext-sentences.ts';
import { toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import type { UserCaller } from '../../core/identity/caller.ts';
import { type ApplicationId, type ApplicationKeyId, type TenantId, toId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import {
  type ApprovalDescription,
  type ApprovalEffect,
  type ApprovalRequest,
  type ApprovedRequest,
  requireSameBasis,
  staleRequest,
} from '../approvals/index.ts';
import { findAuthority } from '../members/index.ts';
import { keyEvent } from './application-key-service.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { ApplicationStore } from './application-store.ts';
import { requireGrantable } from './require-grantable.ts';
import { isOwn, requireManageable } from './require-within-limit.ts';

/** Activates an approved key, if its application still has the rights that it had at the time of the request. */
export class ApplicationKeyApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<void> {
    await new ApplicationStore(tx, tenantId).lock(idsOf(request).applicationId);
  }

  async describe(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription> {
    const { applicationId, keyId } = idsOf(request);
    const application = await new ApplicationStore(tx, tenantId).find(applicationId);
    if (application === undefined) return { title: 'Key of an application that is gone', sentences: [], changes: [] };
    return {
      title: `Another key for the ${application.type} application “${application.name}”`,
      sentences: toPlaintextSentences(application),
      changes: [`key added: ${keyId}`],
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const { applicationId, keyId } = idsOf(request);
    const application = await new ApplicationStore(tx, tenantId).lock(applicationId);
    if (application === undefined) throw staleRequest('the application has been deleted');
    requireSameBasis(request, toCanonicalRights(application));
    if (!isGranted(requester.grants, 'application:create')) throw missingPermission('application:create');
    requireManageable(requester, application);
    if (!isOwn(requester, application)) requireGrantable(await findAuthority(tx, requester), application);
    if (!(await new ApplicationKeyStore(tx, tenantId).release(applicationId, keyId)))
      throw staleRequest('the key has been deleted');
    const event = keyEvent(application, `key added: ${keyId}`);
    await recordInTransaction(tx, tenantId, approver, {
      ...event,
      details: { ...event.details, requester: request.requestedBy },
    });
  }

  async discard(
    tx: Transaction,
    tenantId: TenantId,
    request: ApprovalRequest,
    actor: UserCaller | 'system',
  ): Promise<void> {
    const { applicationId, keyId } = idsOf(request);
    const application = await new ApplicationStore(tx, tenantId).find(applicationId);
    const store = new ApplicationKeyStore(tx, tenantId);
    if (application === undefined || (await store.find(applicationId, keyId))?.awaitsApproval !== true) return;
    await store.delete(applicationId, keyId);
    await recordInTransaction(tx, tenantId, actor, keyEvent(application, `key removed: ${keyId}`));
  }
}

function idsOf({ applicationId, subjectId }: ApprovalRequest): {
  applicationId: ApplicationId;
  keyId: ApplicationKeyId;
} {
  return { applicationId: toId(applicationId ?? ''), keyId: toId(subjectId) };
}
