import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { askAllNodes } from '../../../platform/nodes/ask-all-nodes.ts';
import type { Nodes } from '../../../platform/nodes/nodes.ts';

interface TokenFilter {
  readonly type?: string | null;
  readonly container?: string | null;
}

/**
 * How many tokens a tenant has, of a type or in a container where one is named, from the counters that every write keeps. `home` is a
 * transaction at home that is open already.
 */
export async function countAllTokens(
  nodes: Nodes,
  tenantId: TenantId,
  filter: TokenFilter = {},
  home?: Transaction,
): Promise<number> {
  const asking = home === undefined ? { tenantId } : { tenantId, home };
  const counts = await askAllNodes(nodes, asking, (tx) => sumTokenCounts(tx, tenantId, filter));
  return counts.reduce((sum, count) => sum + count);
}

async function sumTokenCounts(
  tx: Transaction,
  tenantId: TenantId,
  { type = null, container = null }: TokenFilter,
): Promise<number> {
  const [row] = await tx.query<{ tokens: number }>({
    text: `select coalesce(sum(tokens), 0)::float8 as tokens from token_counts
      where tenant_id = $1 and ($2::text is null or type = $2) and ($3::text is null or $3 = any(containers))`,
    values: [tenantId, type, container],
  });
  return row?.tokens ?? 0;
}
