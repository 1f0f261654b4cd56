import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { isLockTimeout } from '../../../platform/database/database-error.ts';

/** Expands sets into their containers, so that the rows in `token_sets` are found by its key. */
const wantedRows = `(select container, wanted.shelf from unnest($2::text[]) as wanted(shelf)
    cross join unnest((string_to_array(wanted.shelf, ' '))[2:]) as container) as wanted`;
const isWanted = 't.tenant_id = $1 and t.container = wanted.container and t.shelf = wanted.shelf';

/**
 * Deletes empty sets and their counters. While the lock is held, nobody else can write counters of the tenant.
 * Therefore empty sets are looked up before locking, and checked again under the lock because a set may have been
 * filled in the meantime.
 */
export async function forgetEmptySets(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const candidates = await listEmptySets(tx, tenantId, { limit });
  if (candidates.length === 0) return 0;
  if (!(await lockWithinSecond(tx, tenantId))) return 0;
  const empty = await listEmptySets(tx, tenantId, { limit, among: candidates });
  for (const text of [
    'delete from token_counts where tenant_id = $1 and shelf = any($2::text[])',
    `delete from token_sets t using ${wantedRows} where ${isWanted}`,
    'update token_set_totals set sets = sets - cardinality($2::text[]) where tenant_id = $1',
  ]) {
    await tx.query({ text, values: [tenantId, empty] });
  }
  return empty.length;
}

/**
 * Returns false if the lock is not available within a second because another transaction is writing counters. Every
 * other writer of the tenant waits behind this lock request, so the sweep gives up and retries in a later run.
 */
async function lockWithinSecond(tx: Transaction, tenantId: TenantId): Promise<boolean> {
  await tx.query({ text: `savepoint before_lock; set local lock_timeout = '1s'` });
  try {
    await tx.query({ text: 'select lock_token_sets($1, true)', values: [tenantId] });
    return true;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    await tx.query({ text: 'rollback to savepoint before_lock' });
    return false;
  }
}

async function listEmptySets(
  tx: Transaction,
  tenantId: TenantId,
  { limit, among = null }: { readonly limit: number; readonly among?: readonly string[] | null },
): Promise<string[]> {
  const rows = await tx.query<{ shelf: string }>({
    text: `select shelf from token_counts where tenant_id = $1 and ($3::text[] is null or shelf = any($3))
      group by shelf having sum(tokens) = 0 limit $2`,
    values: [tenantId, limit, among],
  });
  return rows.map(({ shelf }) => shelf);
}
