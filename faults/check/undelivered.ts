import type { Cluster } from '../stage/cluster.ts';

/** Retries that are due later than this are made due, because they can wait for hours. */
const patience = '20 seconds';

/** Returns which events and checkpoints have not arrived at their receivers yet, and hastens retries. */
export async function whatIsUndelivered(cluster: Cluster): Promise<string[]> {
  const undelivered: string[] = [];
  const [row] = await cluster.query<{ behind: number; waiting: number; unsent: number }>(`
    with newest as (select tenant_id, max(tree_size) as size, max(number) as number from audit_checkpoints group by tenant_id)
    select
      (select count(*)::int from webhook_positions p join newest using (tenant_id) where p.position < newest.size) as behind,
      (select count(*)::int from webhook_deliveries where status <> 'delivered') as waiting,
      (select count(*)::int from newest where not exists (
        select from audit_stream_positions p where p.tenant_id = newest.tenant_id and p.number >= newest.number)) as unsent`);
  if (row === undefined) throw new Error('The database says nothing.');
  if (row.behind > 0) undelivered.push(`${row.behind} webhooks are behind the log`);
  if (row.waiting > 0) undelivered.push(`${row.waiting} deliveries of webhooks are not over`);
  if (row.unsent > 0) undelivered.push(`the log stream is behind in ${row.unsent} tenants`);
  if (row.behind > 0 || row.waiting > 0) {
    const late = `now() + interval '${patience}'`;
    await cluster.query(`update webhook_deliveries set next_at = now() where status = 'waiting' and next_at > ${late}`);
    await cluster.query(`update webhook_positions set resume_at = null where resume_at > ${late}`);
    await cluster.query(
      'select wake_webhooks(array_agg(tenant_id), array_agg(id), 0) from webhooks having count(*) > 0',
    );
  }
  return undelivered;
}
