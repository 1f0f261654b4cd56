import type { Transaction } from '../../database/database.ts';

export interface KeyAges {
  /** The time since the root key was last replaced, or since the vault was set up. */
  readonly rootSeconds: number | null;
  /** The age of the oldest data key that any tenant currently encrypts with. */
  readonly dataSeconds: number | null;
}

/** Returns the ages according to the database's clock. Works inside `forSystem` only. */
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
