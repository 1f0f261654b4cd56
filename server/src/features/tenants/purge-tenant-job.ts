import { membersOf } from '../../core/objects/members-of.ts';
import { parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';
import { PurgeStore, purgedTables } from './purge-store.ts';
import { TenantStore } from './tenant-store.ts';

const rowsPerStep = 1_000;
/** A tenant can have millions of tokens, and nobody waits for their rows to go. */
const limitMs = 60 * 60_000;

interface Purge {
  readonly tenantId: TenantId;
  readonly signal: AbortSignal | undefined;
}

/** Removes the unreadable rows of a deleted tenant, a thousand at a time. Safe to run again. */
export function purgeTenantJob(nodes: Nodes): Job {
  const { database } = nodes.home;
  return {
    name: 'purge-tenant',
    limitMs,
    async run(payload, signal) {
      const tenantId = parseTenantId(String(membersOf(payload)['tenant_id']));
      const tenant = await database.forTenant(tenantId, (tx) => new TenantStore(tx, tenantId).find());
      if (tenant !== undefined) throw new Error('A tenant that still exists is not purged.');
      if (!nodes.isAlone) await purgeNodes(nodes, { tenantId, signal });
      for (const table of purgedTables) await purge(database, table, { tenantId, signal });
    },
  };
}

/** Again until nothing is found anywhere: a drawer may move to a node that has been purged already. */
async function purgeNodes(nodes: Nodes, of: Purge): Promise<void> {
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const node of nodes.all) found += await purgeNode(node, node === nodes.home, of);
  }
}

async function purgeNode({ database }: VaultNode, isHome: boolean, of: Purge): Promise<number> {
  if (!isHome) await database.forTenant(of.tenantId, (tx) => new PurgeStore(tx, of.tenantId).forgetTenant());
  let found = 0;
  for (const table of purgedTables) found += await purge(database, table, of, (store) => store.seeAllDrawers());
  return found;
}

/** How many rows there were. */
async function purge(
  database: Database,
  table: (typeof purgedTables)[number],
  { tenantId, signal }: Purge,
  prepare?: (store: PurgeStore) => Promise<void>,
): Promise<number> {
  for (let found = 0; ; ) {
    signal?.throwIfAborted();
    const deleted = await database.forTenant(tenantId, async (tx) => {
      const store = new PurgeStore(tx, tenantId);
      await prepare?.(store);
      return store.deleteFrom(table, rowsPerStep);
    });
    found += deleted;
    if (deleted < rowsPerStep) return found;
  }
}
