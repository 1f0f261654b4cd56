import type { TenantId } from '../../core/identity/ids.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { retryOutdated } from '../../platform/nodes/retry-outdated.ts';
import { TokenImportStore } from './token-import-store.ts';

/** Those of the ids that tokens have, wherever they lie. */
export function listTakenOnNodes(nodes: Nodes, tenantId: TenantId, ids: readonly string[]): Promise<string[]> {
  return retryOutdated(nodes, () => listTaken(nodes, tenantId, ids));
}

async function listTaken(nodes: Nodes, tenantId: TenantId, ids: readonly string[]): Promise<string[]> {
  const taken: string[] = [];
  for (let wanted = [...new Set(ids)]; wanted.length > 0; ) {
    const gone: string[] = [];
    const { known } = nodes;
    for (const [node, own] of await nodes.group(wanted)) {
      const found = await node.database.forTenant(tenantId, (tx) => new TokenImportStore(tx, tenantId).listTaken(own));
      taken.push(...found);
      const isFound = new Set(found);
      // A drawer may have moved on before it was looked into.
      gone.push(
        ...(await nodes.listGone(
          node,
          own.filter((id) => !isFound.has(id)),
          known,
        )),
      );
    }
    wanted = gone;
  }
  return taken;
}
