import type { TenantId } from '../../core/identity/ids.ts';
import type { RowVersion, SealedTable } from '../../platform/keyring/sealed-rows.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';

const pageSize = 5_000;

/** A table, or the part of it that one database has. */
export interface SealedPart {
  readonly table: SealedTable;
  readonly node: VaultNode;
}

export function listParts(nodes: Nodes, tables: readonly SealedTable[]): SealedPart[] {
  return tables.flatMap((table) => (table.isOnNodes ? nodes.all : [nodes.home]).map((node) => ({ table, node })));
}

/** The key versions of all rows of a tenant, a page at a time; the last one may be empty. */
export async function* versionPages({ table, node }: SealedPart, tenantId: TenantId): AsyncGenerator<RowVersion[]> {
  for (let after = ''; ; ) {
    const from = after;
    const page = await node.database.forTenant(tenantId, (tx) =>
      table.listVersions(tx, tenantId, { after: from, limit: pageSize }),
    );
    yield page;
    after = page.at(-1)?.position ?? after;
    if (page.length < pageSize) return;
  }
}
