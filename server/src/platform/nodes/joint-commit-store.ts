import type { TenantId } from '../../core/identity/ids.ts';
import { homeName } from '../../core/nodes/home-name.ts';
import type { Database, Transaction } from '../database/database.ts';

/** A transaction that a node has prepared for a server, and that the server has not ended. */
export interface LeftTransaction {
  readonly name: string;
  readonly tenantId: string;
  readonly id: string;
  /** The name of the node that decides what becomes of it. */
  readonly decider: string;
  /** Others wait at its claims until all that is done under them can be seen: it has to be ended last. */
  readonly hasClaims: boolean;
}

/** An earlier version called them strongroom/…, and had home decide. It does not know these, and leaves them alone. */
const prefix = 'strongroom-joint';

/** With the name of the node, since names of prepared transactions are those of a whole PostgreSQL server. */
export function nameTransaction(of: Omit<LeftTransaction, 'name'> & { readonly node: string }): string {
  return `${prefix}/${of.tenantId}/${of.id}/${of.node}/${of.decider}${of.hasClaims ? '/claims' : ''}`;
}

/** Decides unless it is decided already; tells what was decided. */
export async function decide(
  tx: Transaction,
  { tenantId, id, isCommitted }: { readonly tenantId: TenantId; readonly id: string; readonly isCommitted: boolean },
): Promise<boolean> {
  await tx.query({
    name: 'joint-decide',
    text: 'insert into joint_commits (tenant_id, id, is_committed) values ($1, $2, $3) on conflict (tenant_id, id) do nothing',
    values: [tenantId, id, isCommitted],
  });
  // By then a decision of somebody else is committed, since the insert has waited for it.
  const [row] = await tx.query<{ is_committed: boolean }>({
    name: 'joint-decided',
    text: 'select is_committed from joint_commits where tenant_id = $1 and id = $2',
    values: [tenantId, id],
  });
  return row?.is_committed ?? false;
}

/**
 * Those of this database that are older than any server waits. The clock of a database may be set back: what was prepared before is
 * then ahead of it, and is left as well, unless it is so by less. By the clock, and not by when this transaction began: one that
 * was prepared since would be ahead of that.
 */
export async function listLeft(database: Database, olderThanSeconds: number): Promise<LeftTransaction[]> {
  return database.forSystem((tx) =>
    tx.query<LeftTransaction>({
      text: `select gid as name, split_part(gid, '/', 2) as "tenantId", split_part(gid, '/', 3) as id,
          coalesce(nullif(split_part(gid, '/', 5), ''), '${homeName}') as decider, split_part(gid, '/', 6) = 'claims' as "hasClaims"
        from pg_prepared_xacts
        where split_part(gid, '/', 1) in ('${prefix}', 'strongroom') and database = current_database()
          and abs(extract(epoch from clock_timestamp() - prepared)) >= $1`,
      values: [olderThanSeconds],
    }),
  );
}

/** Old decisions, but for those about transactions that are still prepared somewhere. */
export async function forgetDecisions(
  tx: Transaction,
  tenantId: TenantId,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
): Promise<number> {
  const rows = await tx.query({
    text: `delete from joint_commits where tenant_id = $1 and id = any (array(
        select id from joint_commits where tenant_id = $1 and decided_at < now() - interval '1 day' and id <> all($3::uuid[]) limit $2))
      returning 1`,
    values: [tenantId, limit, except],
  });
  return rows.length;
}
