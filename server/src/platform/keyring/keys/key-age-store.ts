import type { Transaction } from '../../database/database.ts';

export interface KeyAges {
  /** Since the root key took over from another one, or since the vault was set up. */
  readonly rootSeconds: number | null;
  /** Of the data key that a tenant encrypts with, in the tenant where it is oldest. */
  readonly dataSeconds: number | null;
}

/** By the clock of the database. Works inside `forSystem` only. */
export async function findKeyAges(tx: Transaction): Promise<KeyAges> {
  const [ages] = await tx.query<KeyAges>({
    text: `select
        (select extract(epoch from now() - min(coalesce(wrapped_at, created_at)))::float8 from system_keys) as "rootSeconds",
        (select extract(epoch from now() - min(created_at))::float8 from (
          select distinct on (tenant_id) created_at from tenant_keys where purpose = 'data' order by tenant_id, version desc
        ) newest) as "dataSeconds"`,
  });
  return ages ?? { rootSeconds: null, dataSeconds: null };
}
