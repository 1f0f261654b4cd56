import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

type Counts = Readonly<Record<string, number>>;

/** Counts tokens by age along an index. No token is read. */
export async function countByAge(tx: Transaction, tenantId: TenantId): Promise<Counts> {
  const [row] = await tx.query<Counts>({
    text: `select count(*) filter (where created_at > now() - interval '90 days')::float8 as under_90_days,
        count(*) filter (where created_at <= now() - interval '90 days' and created_at > now() - interval '1 year')::float8 as under_1_year,
        count(*) filter (where created_at <= now() - interval '1 year' and created_at > now() - interval '3 years')::float8 as under_3_years,
        count(*) filter (where created_at <= now() - interval '3 years')::float8 as older
      from tokens where tenant_id = $1`,
    values: [tenantId],
  });
  return row ?? {};
}

export async function countByType(tx: Transaction, tenantId: TenantId): Promise<Counts> {
  const rows = await tx.query<{ type: string; tokens: number }>({
    text: 'select type, sum(tokens)::float8 as tokens from token_totals where tenant_id = $1 group by type',
    values: [tenantId],
  });
  return Object.fromEntries(rows.map(({ type, tokens }) => [type, tokens]));
}

/** Counts tokens by the first part of their containers, if it is one of those that types have by default. */
export async function countByContainer(tx: Transaction, tenantId: TenantId): Promise<Counts> {
  const rows = await tx.query<{ part: string; tokens: number }>({
    text: `select case when part in ('pci', 'bank', 'pii', 'general') then part else 'other' end as part, sum(tokens)::float8 as tokens
      from (
        select distinct c.slot, c.shelf, c.tokens, split_part(container, '/', 2) as part
        from token_counts c cross join unnest(c.containers) as container where c.tenant_id = $1) as counted
      group by 1`,
    values: [tenantId],
  });
  return Object.fromEntries(rows.map(({ part, tokens }) => [part, tokens]));
}
