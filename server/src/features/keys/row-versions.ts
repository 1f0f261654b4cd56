import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RowVersion, SealedTable } from '../../platform/keyring/keys/sealed-rows.ts';

const pageSize = 5_000;

/** Reads the key version of every row that a tenant has in a table, a page at a time. */
export async function* rowVersionPages(
  database: Database,
  table: SealedTable,
  tenantId: TenantId,
): AsyncGenerator<readonly RowVersion[]> {
  for (let after = ''; ; ) {
    const from = after;
    const page = await database.forTenant(tenantId, (tx) =>
      table.listVersions(tx, tenantId, { after: from, limit: pageSize }),
    );
    yield page;
    after = page.at(-1)?.position ?? after;
    if (page.length < pageSize) return;
  }
}
