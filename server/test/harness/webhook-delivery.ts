import type pg from 'pg';

/** Adds a delivery that is waiting, as a worker does after a request failed. */
export async function addDelivery(
  owner: pg.Pool,
  {
    tenantId,
    webhookId,
    id,
    entityId = id,
  }: Readonly<Record<'tenantId' | 'webhookId' | 'id', string>> & { entityId?: string },
): Promise<void> {
  await owner.query(
    `insert into webhook_deliveries (tenant_id, webhook_id, id, status, event_ids, event_types, entity_id, leaves, attempts,
        created_at, last_at, next_at, response_status, duration_ms, response)
      values ($1, $2, $3, 'waiting', array[$3::uuid], '{token.created}', $4, '{0}', 2, now(), now(), now() + interval '5 minutes',
        503, 41, 'Try again later.')`,
    [tenantId, webhookId, id, entityId],
  );
}
