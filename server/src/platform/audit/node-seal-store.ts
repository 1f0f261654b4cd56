import type { Transaction } from '../database/database.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { checkpointColumns, type CheckpointRow, toCheckpoint } from './checkpoint-row.ts';
import { type NodeSeal, parseSealDetails } from './node-seal.ts';

const beforeAllTenants = '00000000-0000-0000-0000-000000000000';

/** The newest checkpoints of the tenants that follow, in the order of their ids. Jumps from one tenant to the next along the index. */
export async function listNewestCheckpoints(
  tx: Transaction,
  page: { readonly node: string; readonly after: string | undefined; readonly limit: number },
): Promise<StoredCheckpoint[]> {
  const next = (after: string) =>
    `select c.tenant_id from audit_checkpoints c where c.tenant_id > ${after} order by c.tenant_id limit 1`;
  const rows = await tx.query<CheckpointRow>({
    name: 'node-seal-newest',
    text: `with recursive found as (
        (${next('$1::uuid')}) union all select (${next('found.tenant_id')}) from found where found.tenant_id is not null
      )
      select newest.* from (select tenant_id from found where tenant_id is not null limit $2) tenant cross join lateral (
        select ${checkpointColumns} from audit_checkpoints c
        where c.tenant_id = tenant.tenant_id order by c.number desc limit 1) newest`,
    values: [page.after ?? beforeAllTenants, page.limit],
  });
  return rows.map((row) => toCheckpoint(row, page.node));
}

/** What home has noted last of a tree, and how long ago. */
export interface NotedSeal extends Pick<NodeSeal, 'number' | 'treeSize' | 'root'> {
  readonly ageSeconds: number;
}

/**
 * The numbers and roots that home has noted last, this month: what was noted before is noted again, since the record of it will be
 * dropped with its month.
 */
export async function findNoted(
  tx: Transaction,
  { node, tenantIds }: { readonly node: string; readonly tenantIds: readonly string[] },
): Promise<Map<string, NotedSeal>> {
  const rows = await tx.query<{ tenant_id: string; details: string | null; ageSeconds: number }>({
    name: 'node-seal-noted',
    text: `select wanted.tenant_id, noted.details,
          extract(epoch from now() - noted.created_at)::float8 as "ageSeconds"
        from unnest($1::uuid[]) as wanted(tenant_id) cross join lateral (
        select r.details, r.created_at from audit_records r
        where r.tenant_id = wanted.tenant_id and r.entity_id = $2 and r.created_at >= date_trunc('month', now(), 'UTC')
          and r.entity_type = 'log' and r.operation = 'seal'
        order by r.created_at desc limit 1) noted`,
    values: [tenantIds, node],
  });
  return new Map(
    rows.flatMap(({ tenant_id: tenantId, details, ageSeconds }) => {
      const seal = parseSealDetails(details);
      return seal === undefined ? [] : [[tenantId, { ...seal, ageSeconds }]];
    }),
  );
}
