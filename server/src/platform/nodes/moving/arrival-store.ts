import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';

/** Within a transaction of the owner: for rows that the owner, too, sees only as servers do. */
export async function moverWithin<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await tx.query({ text: `set local role strongroom_app; select set_config('app.moves_drawers', 'on', true)` });
  const result = await work(tx);
  await tx.query({ text: 'reset role' });
  return result;
}

/** How many tokens have been copied, by tenant, type and containers: JSON text, as one database gives it to the other. */
export async function readArrivals(tx: Transaction): Promise<string> {
  const [row] = await tx.query<{ counts: string }>({
    text: `select coalesce(jsonb_object_agg(tenant_id, sets), '{}')::text as counts from (
        select tenant_id, jsonb_agg(jsonb_build_object('type', type, 'containers', containers, 'tokens', tokens,
          'last_created_at', last_created_at)) as sets
        from drawer_arrivals where tokens <> 0 group by tenant_id) as arrived`,
  });
  return row?.counts ?? '{}';
}

/** Whose tokens may have been copied into this database without being held there; nobody's, if all copies have been dealt with. */
export async function listArrivedTenants(tx: Transaction): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>({
    text: 'select distinct tenant_id as "tenantId" from drawer_arrivals order by tenant_id',
  });
  return rows.map(({ tenantId }) => tenantId);
}

/** Servers add to slots below it. */
const moversSlot = 64;

/** Adds them to the counters of all tenants, or takes them off. */
export async function countMoved(tx: Transaction, counts: string, direction: 1 | -1): Promise<void> {
  await tx.query({ text: 'select count_moved_tokens($1::jsonb, $2, $3)', values: [counts, direction, moversSlot] });
}

/** They are counted now, or will never be. */
export async function forgetArrivals(tx: Transaction): Promise<void> {
  await tx.query({ text: 'delete from drawer_arrivals' });
}
