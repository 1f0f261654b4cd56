import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/**
 * Returns a tenant's number of tokens, optionally of one type or in one container, from the counters that every write
 * updates.
 */
export async function sumTokenCounts(
  tx: Transaction,
  tenantId: TenantId,
  { type = null, container = null }: { readonly type?: string | null; readonly container?: string | null } = {},
): Promise<number> {
  const [row] = await tx.query<{ tokens: number }>({
    text: `select coalesce(sum(tokens), 0)::float8 as tokens from token_counts
      where tenant_id = $1 and ($2::text is null or type = $2) and ($3::text is null or $3 = any(containers))`,
    values: [tenantId, type, container],
  });
  return row?.tokens ?? 0;
}
