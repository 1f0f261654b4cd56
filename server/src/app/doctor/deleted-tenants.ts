import { deletedTenantDays, removalTimeOf } from '../../core/identity/deleted-tenant.ts';
import { TenantOverviews, type TenantSummary } from '../../features/tenants/index.ts';
import type { Database } from '../../platform/database/database.ts';

/** The time after which a removal is overdue. The worker checks for tenants to remove four times an hour. */
const overdueMs = 60 * 60_000;

export async function findDeletedTenants(database: Database): Promise<TenantSummary[]> {
  return (await new TenantOverviews(database).list()).filter(({ deletedAt }) => deletedAt !== null);
}

/**
 * Returns the findings of `doctor` about deleted tenants that have not been removed yet, and warns if a removal is
 * overdue.
 */
export function describeDeletedTenants(
  tenants: readonly TenantSummary[],
): { readonly detail: string; readonly isWarning: boolean }[] {
  if (tenants.length === 0) return [];
  const isOverdue = tenants.some(
    ({ deletedAt }) => deletedAt !== null && removalTimeOf(deletedAt).getTime() + overdueMs < Date.now(),
  );
  const detail = isOverdue
    ? 'a tenant should have been removed by now. Check that a worker runs: strongroom work'
    : `${tenants.length} can be restored for ${deletedTenantDays} days from their deletion: strongroom tenants list`;
  return [{ detail, isWarning: isOverdue }];
}
