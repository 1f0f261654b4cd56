import type { Cluster } from '../stage/cluster.ts';
import type { Check } from './check.ts';
import { whatIsUndelivered } from './undelivered.ts';

/** The maximum number of connections of a vault with two servers and two workers. */
const connectionsMax = 60;

/** Returns everything that is still pending: unsealed records, jobs, mails, events, and open transactions or sessions. */
export async function whatIsStuck(cluster: Cluster, invited: readonly string[]): Promise<string[]> {
  const stuck: string[] = [];
  if (!(await cluster.isHealthy())) return ['a machine, server or worker is not ready'];
  const [row] = await cluster.query<{
    unsealed: number;
    overdue: number;
    dead: number;
    old: number;
    waiting: number;
    all: number;
  }>(`
    select
      (select count(*)::int from audit_records, audit_sealing where sealing_order >= sealed_to) as unsealed,
      (select count(*)::int from pgboss.job
        where state < 'active' and name <> 'dead-letters' and start_after < now() - interval '30 seconds') as overdue,
      (select count(*)::int from pgboss.job where name = 'dead-letters') as dead,
      (select count(*)::int from pg_stat_activity
        where usename = 'vault' and state like 'idle in transaction%' and state_change < now() - interval '30 seconds') as old,
      (select count(*)::int from pg_stat_activity where wait_event = 'SyncRep' and state_change < now() - interval '10 seconds') as waiting,
      (select count(*)::int from pg_stat_activity where usename = 'vault') as all`);
  if (row === undefined) throw new Error('The database says nothing.');
  if (row.unsealed > 0) stuck.push(`${row.unsealed} records are not sealed`);
  if (row.overdue > 0) stuck.push(`${row.overdue} jobs are overdue`);
  if (row.dead > 0) stuck.push(`${row.dead} jobs have failed for good`);
  if (row.old > 0) stuck.push(`${row.old} transactions are open and idle`);
  if (row.waiting > 0) stuck.push(`${row.waiting} sessions wait for a standby`);
  if (row.all > connectionsMax) stuck.push(`${row.all} connections are open`);
  const mailedTo = new Set(cluster.outside.mail.mails.flatMap(({ to }) => to));
  const missing = invited.filter((address) => !mailedTo.has(address)).length;
  if (missing > 0) stuck.push(`${missing} mails are not sent`);
  stuck.push(...(await whatIsUndelivered(cluster)));
  return stuck;
}

/** Counters that are updated on every write must equal the number of rows. */
export const countersCheck: Check = {
  name: 'counters equal rows',
  run: async ({ cluster, tenant }) => {
    const findings: string[] = [];
    const rows = await cluster.query<{ type: string; counted: number; there: number }>(`
      select type, coalesce(counted, 0)::int as counted, coalesce(there, 0)::int as there
      from (select type, sum(tokens) as counted from token_counts where tenant_id = '${tenant.id}' group by type) a
      full join (select type, count(*) as there from tokens where tenant_id = '${tenant.id}' group by type) b using (type)`);
    for (const { type, counted, there } of rows) {
      if (counted !== there) findings.push(`there are ${there} tokens of type ${type}, and ${counted} are counted`);
    }
    const [{ orphans } = { orphans: 0 }] = await cluster.query<{ orphans: number }>(`
      select count(*)::int as orphans from token_terms t
      where tenant_id = '${tenant.id}' and not exists (select from tokens where tokens.tenant_id = t.tenant_id and id = t.token_id)`);
    if (orphans > 0) findings.push(`${orphans} search terms belong to no token`);
    return findings;
  },
};

export const stuckCheck: Check = {
  name: 'nothing is stuck five minutes after everything has healed',
  run: ({ stuck }) => stuck,
};
