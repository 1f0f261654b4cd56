import { toPlaintextSentences } from '../../core/rights-change/plaintext-sentences.ts';
import { listRightsChanges, toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import { actorIdOf, type Caller, type UserCaller } from '../../core/identity/caller.ts';
import { type ApplicationId, type TenantId, toId } from '../../core/identity/ids.ts';
import { counted } from '../../core/text/counted.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
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
import type { Application } from './application.ts';
import { parseChange } from './application-change.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { applicationEvent } from './application-service.ts';
import { requireValidSettings } from './application-settings.ts';
import { ApplicationStore } from './application-store.ts';
import { requireGrantable } from './require-grantable.ts';
import { requireManageable, requireWithinLimit } from './require-within-limit.ts';

/** Grants an application the approved rights, if its requester could still grant them. */
export class ApplicationApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    await new ApplicationStore(tx, tenantId).lock(toId<ApplicationId>(subjectId));
  }

  async describe(tx: Transaction, tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription> {
    const id = toId<ApplicationId>(request.subjectId);
    const current = await new ApplicationStore(tx, tenantId).find(id);
    const wanted = parseChange(request);
    if (current === undefined) return { title: `Application ${wanted.name}`, sentences: [], changes: [] };
    const keys = await new ApplicationKeyStore(tx, tenantId).countOf(id);
    const rights = { type: current.type, ...wanted };
    const isNew = current.awaitsApproval;
    return {
      title: isNew
        ? `New ${current.type} application “${wanted.name}”`
        : `More rights for the ${current.type} application “${current.name}”`,
      sentences: [...toPlaintextSentences(rights), `It has ${counted(keys, 'key')}.`],
      changes: listRightsChanges(current, rights),
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const id = toId<ApplicationId>(request.subjectId);
    const store = new ApplicationStore(tx, tenantId);
    const current = await store.lock(id);
    if (current === undefined) throw staleRequest('the application has been deleted');
    requireSameBasis(request, toCanonicalRights(current));
    const settings = parseChange(request);
    requireRight(requester, current);
    requireValidSettings(current.type, { ...settings, grantLimit: settings.grantLimit ?? undefined });
    requireManageable(requester, current);
    requireWithinLimit(requester, { type: current.type, ...settings });
    const authority = await findAuthority(tx, requester);
    requireGrantable(authority, settings);
    const application = await store.update(id, { ...settings, modifiedBy: actorIdOf(requester), authority });
    await recordInTransaction(tx, tenantId, approver, {
      ...applicationEvent(id, 'update'),
      details: { ...toRightsDetails(current, application), requester: request.requestedBy },
    });
  }

  /** Deletes an application that was created for the request. It has never had any rights. */
  async discard(
    tx: Transaction,
    tenantId: TenantId,
    { subjectId }: ApprovalRequest,
    actor: UserCaller | 'system',
  ): Promise<void> {
    const id = toId<ApplicationId>(subjectId);
    const store = new ApplicationStore(tx, tenantId);
    if ((await store.find(id))?.awaitsApproval !== true) return;
    await store.delete(id);
    await recordInTransaction(tx, tenantId, actor, applicationEvent(id, 'delete'));
  }
}

/**
 * Throws if the requester has lost the permission. The request for a new application came from its creator or from a
 * later updater, so either permission is enough.
 */
function requireRight({ grants }: Caller, { awaitsApproval }: Application): void {
  const isCreator = awaitsApproval && isGranted(grants, 'application:create');
  if (isCreator || isGranted(grants, 'application:update')) return;
  throw missingPermission(awaitsApproval ? 'application:create' : 'application:update');
}
