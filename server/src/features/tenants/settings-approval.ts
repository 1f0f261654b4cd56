import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import { actorIdOf } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
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
import { approvalSetting, type StoredSettings, toBasis } from './tenant-settings.ts';
import { settingsEvent } from './tenant-service.ts';
import { TenantStore } from './tenant-store.ts';

/** Applies settings that open a way to plaintext, after they have been approved. */
export class SettingsApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId): Promise<void> {
    await new TenantStore(tx, tenantId).lock();
  }

  async describe(_tx: Transaction, _tenantId: TenantId, request: ApprovalRequest): Promise<ApprovalDescription> {
    const change = settingsIn(request);
    const isEnd = Object.hasOwn(change, approvalSetting);
    return {
      title: isEnd ? 'No more approvals' : 'Tenant settings',
      sentences: [
        ...(isEnd ? ['Any owner, admin or management key could widen access to plaintext without approval.'] : []),
        ...(Object.hasOwn(change, 'disable_ephemeral_proxy')
          ? ['Every key with token:use could send plaintext through the proxy, to the destinations that it may call.']
          : []),
      ],
      changes: Object.entries(change).map(([name, value]) => `setting changed: ${name} = ${value}`),
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = new TenantStore(tx, tenantId);
    const before = await store.lock();
    if (before === undefined) throw staleRequest('the tenant has been deleted');
    const settings = settingsIn(request);
    requireSameBasis(request, toBasis(before.settings, settings));
    if (!isGranted(requester.grants, 'tenant:update')) throw missingPermission('tenant:update');
    const modifiedBy = actorIdOf(requester);
    await store.update({ name: before.name, settings, modifiedBy });
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

function settingsIn({ change }: Pick<ApprovalRequest, 'change'>): StoredSettings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was written with the request and never changes.
  return change as StoredSettings;
}
