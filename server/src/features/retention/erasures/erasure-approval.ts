import { isGranted, missingPermission } from '../../../core/access/decide-access.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { counted } from '../../../core/text/counted.ts';
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
import { type Erasure, erasureEvent, mostRemoved } from './erasure.ts';
import { endErasure, erasureBasis, selectionDetails } from './erasure-service.ts';
import { ErasureStore } from './erasure-store.ts';

/** Has a worker begin an erasure after it has been approved. */
export class ErasureApproval implements ApprovalEffect {
  async lock(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    await lockTenant(tx, tenantId);
    await new ErasureStore(tx, tenantId).lock(subjectId);
  }

  async describe(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<ApprovalDescription> {
    const erasure = await new ErasureStore(tx, tenantId).find(subjectId);
    const { container = null, type = null, metadata = {} } = erasure?.selection ?? {};
    return {
      title: 'Erase tokens',
      sentences: erasure === undefined ? [] : toSentences(erasure),
      changes: [
        ...(container === null ? [] : [`container: ${container}`]),
        ...(type === null ? [] : [`type: ${type}`]),
        ...Object.entries(metadata).map(([key, value]) => `metadata ${key}: ${value}`),
      ],
    };
  }

  async apply(tx: Transaction, { request, requester, approver }: ApprovedRequest): Promise<void> {
    const { tenantId } = approver;
    const store = new ErasureStore(tx, tenantId);
    const erasure = await store.find(request.subjectId);
    if (erasure?.status !== 'awaiting_approval') throw staleRequest('the erasure was cancelled');
    requireSameBasis(request, erasureBasis(erasure));
    if (!isGranted(requester.grants, 'token:delete')) throw missingPermission('token:delete');
    await store.setStatus(erasure.id, 'queued');
    const details = { ...selectionDetails(erasure.selection), requester: request.requestedBy };
    await recordInTransaction(tx, tenantId, approver, erasureEvent(erasure.id, 'configure', { details }));
  }

  /** Cancels the erasure, because nobody will approve it any more. */
  async discard(tx: Transaction, tenantId: TenantId, { subjectId }: ApprovalRequest): Promise<void> {
    const store = new ErasureStore(tx, tenantId);
    const erasure = await store.find(subjectId);
    if (erasure?.status === 'awaiting_approval') await endErasure(store, erasure, 'cancelled');
  }
}

/** The number that was confirmed comes first, because so many tokens may be removed. It may exceed what was counted. */
function toSentences(erasure: Erasure): string[] {
  const most = mostRemoved(erasure);
  return [
    `Up to ${counted(most, 'token')} would be removed for good, and a signed receipt written.`,
    ...(most === erasure.counted ? [] : [`The first count found ${counted(erasure.counted, 'token')}.`]),
    ...(erasure.held === 0 ? [] : [`A legal hold keeps ${counted(erasure.held, 'more token')}.`]),
  ];
}
