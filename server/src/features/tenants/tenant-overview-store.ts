import { deletedTenantDays } from '../../core/identity/deleted-tenant.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { TenantType } from './tenant.ts';

export interface ListedTenant {
  readonly id: TenantId;
  readonly name: string;
  readonly type: TenantType;
  readonly createdAt: Date;
  /** Null unless the tenant is deleted. */
  readonly deletedAt: Date | null;
}

/** Lists all tenants, oldest first. Works only inside `forSystem`. */
export function listTenants(tx: Transaction): Promise<ListedTenant[]> {
  return tx.query({
    text: `select id, name, type, created_at as "createdAt", deleted_at as "deletedAt" from tenants order by created_at, id`,
  });
}

/** Lists the tenants that were deleted long enough ago to be removed. Works only inside `forSystem`. */
export async function listDueTenants(tx: Transaction): Promise<TenantId[]> {
  const rows = await tx.query<{ id: TenantId }>({
    text: 'select id from tenants where deleted_at <= now() - make_interval(days => $1) order by deleted_at',
    values: [deletedTenantDays],
  });
  return rows.map(({ id }) => id);
}

/** Lists the owner of each tenant. Works only inside `forPortal`. */
export function listOwners(tx: Transaction): Promise<{ readonly tenantId: TenantId; readonly email: string | null }[]> {
  return tx.query({
    text: `select m.tenant_id as "tenantId", u.email from members m join users u on u.id = m.user_id where m.role = 'OWNER'`,
  });
}
