import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ApprovalRequest } from './approval.ts';
import { ApprovalStore } from './approval-store.ts';

/** An item with the last approval request for it, if any. */
export type WithApproval<Item> = Item & { readonly approval: ApprovalRequest | undefined };

/** Adds to each item the last approval request for it. */
export async function withApprovals<Item extends { readonly id: string }>(
  tx: Transaction,
  tenantId: TenantId,
  items: readonly Item[],
): Promise<WithApproval<Item>[]> {
  const approvals = await new ApprovalStore(tx, tenantId).listLatest(items.map(({ id }) => id));
  const bySubject = new Map(approvals.map((approval) => [approval.subjectId, approval]));
  return items.map((item) => ({ ...item, approval: bySubject.get(item.id) }));
}
