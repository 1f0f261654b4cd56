import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { WantedSet } from '../model/container-set-limit.ts';
import { hasRoomForSets, toRoomValues } from '../model/container-set-sql.ts';
import type { InsertTarget } from './token-insert-sql.ts';

/** Those of the sets that a database does not have yet. */
export async function listMissingSets(
  database: Database,
  tenantId: TenantId,
  sets: readonly WantedSet[],
): Promise<WantedSet[]> {
  const rows = await database.runForTenant<{ shelf: string }>(tenantId, {
    name: 'token-sets-missing',
    text: 'select shelf from missing_sets($1, $2::text[]) as shelf',
    values: [tenantId, [...new Set(sets.map(({ shelf }) => shelf))]],
  });
  const missing = new Set(rows.map(({ shelf }) => shelf));
  return sets.filter(({ shelf }) => missing.has(shelf));
}

/** Makes sets before there is a token in them, under the limits that the first token of each would meet. */
export async function makeSetsIn(
  tx: Transaction,
  { tenantId, slot, setLimits }: InsertTarget,
  sets: readonly WantedSet[],
): Promise<void> {
  const room = toRoomValues(sets, setLimits);
  const [wanted = []] = room;
  await Promise.all([
    tx.query({ name: 'token-sets-room', text: `select ${hasRoomForSets(2)}`, values: [tenantId, ...room] }),
    tx.query({
      name: 'token-sets-make',
      text: `insert into token_counts (tenant_id, type, containers, slot, tokens)
        select $1::uuid, split_part(shelf, ' ', 1), (string_to_array(shelf, ' '))[2:], $3, 0
        from missing_sets($1, $2::text[]) as shelf order by 2, 3
        on conflict (tenant_id, type, containers, slot) do nothing`,
      values: [tenantId, wanted, slot],
    }),
  ]);
}
