import { isGranted, missingPermission } from '../../core/access/require-access.ts';
import { actorIdOf } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import {
  type ApprovalDescription,
  type ApprovalEffect,
  type ApprovedRequest,
  requireSameBasis,
  staleRequest,
} from '../approvals/index.ts';
import { approvalSetting } from './tenant-settings.ts';
import { settingsEvent } from './tenant-service.ts';
import { TenantStore } from './tenant-store.ts';

/** Turns off required approvals, after that change itself has been approved. */
export class SettingsApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId): Promise<void> {
    await new TenantStore(tx, tenantId).lock();
  }

  async describe(): Promise<ApprovalDescription> {
    return {
      title: 'No more approvals',
      sentences: ['Every owner and admin, and every management key, could widen access to plaintext alone.'],
      changes: [`setting changed: ${approvalSetting} = false`],
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = new TenantStore(tx, tenantId);
    const before = await store.lock();
    if (before === undefined) throw staleRequest('the tenant has been deleted');
    requireSameBasis(request, before.settings[approvalSetting] ?? '');
    if (!isGranted(requester.grants, 'tenant:update')) throw missingPermission('tenant:update');
    const modifiedBy = actorIdOf(requester);
    await store.update({ name: before.name, settings: { [approvalSetting]: 'false' }, modifiedBy });
    const after = await store.find();
    if (after === undefined) throw staleRequest('the tenant has been deleted');
    const event = settingsEvent(before, after);
    await recordInTransaction(tx, tenantId, approver, {
      ...event,
      details: { ...event.details, requester: request.requestedBy },
    });
  }

  /** Does nothing, because nothing was created for the request. */
  async discard(): Promise<void> {}
}
