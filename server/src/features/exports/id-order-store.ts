import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';

/** Throws unless all databases of a vault order ids alike: otherwise pages of several of them cannot be put together. */
export async function requireSameOrder(nodes: Nodes, tenantId: TenantId): Promise<void> {
  const orders = await Promise.all(nodes.all.map(({ database }) => readOrder(database, tenantId)));
  if (new Set(orders).size <= 1) return;
  throw new OperatorError(
    'The databases of this vault do not sort text alike. Create nodes with the locale of the home database, on the same version of its operating system.',
  );
}

async function readOrder(database: Database, tenantId: TenantId): Promise<string> {
  const [row] = await database.runForTenant<{ name: string }>(tenantId, {
    text: `select concat_ws('/', datlocprovider, datcollate, datctype, daticulocale, pg_database_collation_actual_version(oid)) as name
      from pg_database where datname = current_database()`,
    values: [],
  });
  return row?.name ?? '';
}

/** Ids in the order of `tokens`. */
export async function sortIds(database: Database, tenantId: TenantId, ids: readonly string[]): Promise<string[]> {
  const rows = await database.runForTenant<{ id: string }>(tenantId, {
    name: 'export-sort-ids',
    text: 'select id from unnest($1::text[]) as id order by id',
    values: [ids],
  });
  return rows.map(({ id }) => id);
}
