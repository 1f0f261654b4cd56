import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';

/** Ids in the order in which the database lists tokens by them, which only the database knows. */
export async function sortIds(database: Database, tenantId: TenantId, ids: readonly string[]): Promise<string[]> {
  const rows = await database.runForTenant<{ id: string }>(tenantId, {
    name: 'sort-ids',
    text: 'select id from unnest($1::text[]) as id order by id',
    values: [ids],
  });
  return rows.map(({ id }) => id);
}
