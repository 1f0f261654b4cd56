import type { Database } from '../database/database.ts';

/** Lists the groups of a task that have a job waiting which names one of these tenants. */
export async function listWaitingGroups(
  database: Database,
  task: string,
  tenantIds: readonly string[],
): Promise<string[]> {
  const rows = await database.forWorker((tx) =>
    tx.query<{ group: string }>({
      text: `select distinct group_id as "group" from pgboss.job_common
        where name = $1 and state < 'active' and not blocked and start_after <= now() and group_id is not null
          and data->>'tenant_id' = any($2)`,
      values: [task, [...tenantIds]],
    }),
  );
  return rows.map(({ group }) => group);
}
