import type { Database } from '../../../platform/database/database.ts';

/** Has workers look at all endpoints of these tenants, or of every tenant, that may be sent something now. */
export async function wakeWebhooksOf(database: Database, tenantIds: readonly string[] | 'all'): Promise<void> {
  await database.forSealer((tx) =>
    tx.query({
      name: 'wake-webhooks',
      text: `with ready as (
          select w.tenant_id, w.id from webhooks w
          join webhook_positions p on p.tenant_id = w.tenant_id and p.webhook_id = w.id
          where ($1::uuid[] is null or w.tenant_id = any($1)) and w.status = 'enabled'
            and (p.resume_at is null or p.resume_at <= now()))
        select wake_webhooks(array_agg(tenant_id), array_agg(id), 0) from ready having count(*) > 0`,
      values: [tenantIds === 'all' ? null : tenantIds],
    }),
  );
}
