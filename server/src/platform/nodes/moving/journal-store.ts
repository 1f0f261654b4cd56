import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';

/** Some changes of a tenant's tokens. */
export interface Changes {
  readonly numbers: readonly string[];
  readonly ids: readonly string[];
}

export async function listChangedTenants(tx: Transaction): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>({
    text: 'select distinct tenant_id as "tenantId" from drawer_changes',
  });
  return rows.map(({ tenantId }) => tenantId);
}

/** The oldest of them. A change is listed by the transaction that makes it: whoever reads the list then finds it made. */
export async function listChanges(
  tx: Transaction,
  tenantId: TenantId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Changes> {
  const rows = await tx.query<{ number: string; id: string }>({
    name: 'moving-changes',
    text: `select number::text, token_id as id from drawer_changes
      where tenant_id = $1 and number > $2::bigint order by number limit $3`,
    values: [tenantId, after, limit],
  });
  return { numbers: rows.map(({ number }) => number), ids: [...new Set(rows.map(({ id }) => id))] };
}

export async function deleteChanges(tx: Transaction, tenantId: TenantId, numbers: readonly string[]): Promise<void> {
  await tx.query({
    name: 'moving-changes-done',
    text: 'delete from drawer_changes where tenant_id = $1 and number = any($2::bigint[])',
    values: [tenantId, numbers],
  });
}

/** Up to `limit` of them, whosever they are; returns how many there were. */
export async function forgetChanges(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query({
    text: 'delete from drawer_changes where number = any (array(select number from drawer_changes limit $1)) returning 1',
    values: [limit],
  });
  return rows.length;
}
