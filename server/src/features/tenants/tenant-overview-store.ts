import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { TenantType } from './tenant.ts';

export interface ListedTenant {
  readonly id: TenantId;
  readonly name: string;
  readonly type: TenantType;
  readonly createdAt: Date;
}

/** All tenants, oldest first; inside `forSystem` only. */
export function listTenants(tx: Transaction): Promise<ListedTenant[]> {
  return tx.query({ text: 'select id, name, type, created_at as "createdAt" from tenants order by created_at, id' });
}

/** Who owns each tenant; inside `forPortal` only. */
export function listOwners(tx: Transaction): Promise<{ readonly tenantId: TenantId; readonly email: string | null }[]> {
  return tx.query({
    text: `select m.tenant_id as "tenantId", u.email from members m join users u on u.id = m.user_id where m.role = 'OWNER'`,
  });
}
