import type { TenantId } from '../../core/identity/ids.ts';
import { ApprovalStore } from '../../features/approvals/index.ts';
import { MemberStore } from '../../features/members/index.ts';
import { readTenantType } from '../../features/tenants/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { listTenantIds } from '../../platform/database/ground/database-inspection.ts';

const namedMax = 5;

/**
 * Returns production tenants that require no approval for wider access to plaintext, although they have several owners
 * and admins who could approve.
 */
export async function findUnapproving(database: Database): Promise<TenantId[]> {
  const found: TenantId[] = [];
  for (const tenantId of await listTenantIds(database)) {
    const isAdvised = await database.forTenant(tenantId, async (tx) => {
      if ((await readTenantType(tx, tenantId)) !== 'production') return false;
      if (await new ApprovalStore(tx, tenantId).isDemanded()) return false;
      return (await new MemberStore(tx, tenantId).countAdministrators()) > 1;
    });
    if (isAdvised) found.push(tenantId);
  }
  return found;
}

/** Returns the finding of `doctor`, with the remedy. */
export function describeUnapproving(tenants: readonly TenantId[]): string {
  if (tenants.length === 0)
    return 'production tenants with several owners and admins demand a second person for access to plaintext';
  const more = tenants.length - namedMax;
  const named = `${tenants.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `in production tenant ${named} one owner, admin or management key alone can give itself access to plaintext, although there are others who could approve it. Set approve_plaintext to "true" (PUT /tenants/self).`;
}
