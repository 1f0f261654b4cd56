import type { TenantId } from '../../../core/identity/ids.ts';
import { isHeld } from '../../../features/tokens/index.ts';
import type { Transaction } from '../../../platform/database/database.ts';

interface StoredCounts {
  readonly expiring: number;
  readonly expired: number;
  readonly codes: number;
}

/** Counts along indexes of what expires. No token is read. */
export async function countStored(tx: Transaction, tenantId: TenantId): Promise<StoredCounts> {
  const [row] = await tx.query<StoredCounts>({
    text: `select
        (select count(*)::float8 from tokens where tenant_id = $1 and expires_at is not null) as expiring,
        (select count(*)::float8 from tokens t where tenant_id = $1 and expires_at < now() - interval '1 hour' and not ${isHeld('t')}) as expired,
        (select count(*)::float8 from token_cvcs where tenant_id = $1 and expires_at < now() - interval '15 minutes')
          + (select count(*)::float8 from token_intents
              where tenant_id = $1 and cvc is not null and created_at < now() - interval '75 minutes') as codes`,
    values: [tenantId],
  });
  return row ?? { expiring: 0, expired: 0, codes: 0 };
}

/** Counts tenants that the daily job should have removed: all of them, or one. */
export async function countOverdueTenants(tx: Transaction, only: TenantId | undefined): Promise<number> {
  const [row] = await tx.query<{ total: number }>({
    text: `select count(*)::float8 as total from tenants
      where deleted_at < now() - interval '8 days' and ($1::uuid is null or id = $1)`,
    values: [only ?? null],
  });
  return row?.total ?? 0;
}
