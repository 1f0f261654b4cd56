import type { TenantId } from '../../core/identity/ids.ts';
import { TenantKeyStore } from '../../platform/keyring/tenant-key-store.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';

/** Closes every version but the newest in one database, which first hears of all of them. Waits for writers in progress there. */
export async function closeOlderOn(nodes: Nodes, node: VaultNode, tenantId: TenantId): Promise<void> {
  await nodes.introduce(node, tenantId);
  await node.database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).closeOlder(tenantId));
}

/** On all nodes first: once a version is closed at home, nothing is encrypted with it anywhere. */
export async function closeOlderEverywhere(nodes: Nodes, tenantId: TenantId): Promise<void> {
  for (const node of nodes.all.toReversed()) await closeOlderOn(nodes, node, tenantId);
}
