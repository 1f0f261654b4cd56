import type { Transaction } from '../../database/database.ts';
import type { OwnerLink } from '../../database/owner-link.ts';
import { type NodeState, readWholeStateIn } from '../node-store.ts';

export function readIdentity(link: OwnerLink): Promise<NodeState> {
  return link.transaction(readWholeStateIn);
}

/** Undefined for a database that has no schema of this version. */
export async function findIdentity(link: OwnerLink): Promise<NodeState | undefined> {
  const [row] = await link.transaction((tx) =>
    tx.query<{ isPrepared: boolean }>({
      text: `select exists (select from pg_attribute
          where attrelid = to_regclass('public.drawer_moves') and attname = 'is_release') as "isPrepared"`,
    }),
  );
  return row?.isPrepared === true ? readIdentity(link) : undefined;
}

/** How many tokens a database counts, of all tenants that it knows. */
export async function countTokens(link: OwnerLink): Promise<number> {
  const tenants = await link.transaction(async (tx) => {
    await tx.query({ text: 'set local role strongroom_system' });
    return tx.query<{ id: string }>({ text: 'select id from tenants' });
  });
  return link.asApplication(undefined, (tx) =>
    sumTotals(
      tx,
      tenants.map(({ id }) => id),
    ),
  );
}

/** One tenant after the other: a transaction of the application sees one at a time. */
async function sumTotals(tx: Transaction, tenantIds: readonly string[]): Promise<number> {
  let tokens = 0;
  for (const tenantId of tenantIds) {
    await tx.query({ text: `select set_config('app.tenant_id', $1, true)`, values: [tenantId] });
    const [row] = await tx.query<{ tokens: number }>({
      name: 'tokens-of-node',
      text: 'select coalesce(sum(tokens), 0)::float8 as tokens from token_totals where tenant_id = $1',
      values: [tenantId],
    });
    tokens += row?.tokens ?? 0;
  }
  return tokens;
}
