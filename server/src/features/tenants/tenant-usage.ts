import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { askAllNodes } from '../../platform/nodes/ask-all-nodes.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import type { TokenCount } from './tenant.ts';
import { TenantStore } from './tenant-store.ts';

/** How many tokens of each type a tenant has, on all nodes together. `home` is a transaction at home that is open already. */
export async function countTokensByType(nodes: Nodes, tenantId: TenantId, home?: Transaction): Promise<TokenCount[]> {
  const asking = home === undefined ? { tenantId } : { tenantId, home };
  const [first = [], ...others] = await askAllNodes(nodes, asking, (tx) =>
    new TenantStore(tx, tenantId).countTokensByType(),
  );
  return others.length === 0 ? first : addUp([first, ...others].flat());
}

function addUp(counts: readonly TokenCount[]): TokenCount[] {
  const sums = new Map<string, TokenCount>();
  for (const { type, count, lastCreatedAt } of counts) {
    const known = sums.get(type);
    sums.set(type, {
      type,
      count: count + (known?.count ?? 0),
      lastCreatedAt:
        (known?.lastCreatedAt ?? 0) > (lastCreatedAt ?? 0) ? (known?.lastCreatedAt ?? null) : lastCreatedAt,
    });
  }
  return [...sums.values()].toSorted((one, other) => (one.type < other.type ? -1 : 1));
}
