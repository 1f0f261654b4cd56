import type { ApplicationKeyId, TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/** A tenant that has moved to this cell or away from it, with the keys that it had at that time. */
export interface MovedTenant {
  readonly tenantId: TenantId;
  readonly isHere: boolean;
  readonly cell: string;
  readonly keyIds: readonly ApplicationKeyId[];
}

/** Lists the tenants that have moved. Works only inside `forSystem`. */
export function listMovedTenants(tx: Transaction): Promise<MovedTenant[]> {
  return tx.query({
    name: 'moved-tenants',
    text: `select tenant_id as "tenantId", direction = 'in' as "isHere", cell, key_ids as "keyIds"
      from tenant_moves where decided_at is not null`,
  });
}
