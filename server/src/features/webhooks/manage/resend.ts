import type { Actor } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { TreeTail } from '../../../platform/audit/follow/tree-tail.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { type Delivery, noSuchDelivery } from '../model/delivery.ts';
import { noSuchWebhook, type Webhook, webhookEvent } from '../model/webhook.ts';
import { WebhookStore } from '../model/webhook-store.ts';
import { DeliveryListStore } from './delivery-list-store.ts';
import { requireReplayable } from './webhook-service.ts';

/** The endpoint to resend to, and who has it resent: a caller, or the operator on the command line. */
export interface ResendOrder {
  readonly tenantId: TenantId;
  readonly webhookId: string;
  readonly actor: Actor;
}

/** Has one delivery sent again. */
export async function resendDelivery(database: Database, order: ResendOrder, deliveryId: string): Promise<Delivery> {
  const { result } = await change(database, order, async (tx) => {
    const delivery = await new DeliveryListStore(tx, order.tenantId, order.webhookId).resend(deliveryId);
    if (delivery === undefined) throw noSuchDelivery();
    return delivery;
  });
  return result;
}

/** Has every event sent again that was sealed since a time. */
export async function resendSince(database: Database, order: ResendOrder, since: Date): Promise<Webhook> {
  requireReplayable('since', since);
  const { webhook } = await change(database, order, async (tx) => {
    const position = await new TreeTail(tx, order.tenantId).sizeAt(since);
    await new DeliveryListStore(tx, order.tenantId, order.webhookId).moveBackTo(position);
  });
  return webhook;
}

/** Changes what an endpoint is sent, wakes a worker and records it, all in one transaction. */
async function change<Result>(
  database: Database,
  { tenantId, webhookId, actor }: ResendOrder,
  work: (tx: Transaction) => Promise<Result>,
): Promise<{ readonly webhook: Webhook; readonly result: Result }> {
  return database.forTenant(tenantId, async (tx) => {
    const store = new WebhookStore(tx, tenantId);
    const webhook = await store.lock(webhookId);
    if (webhook === undefined) throw noSuchWebhook();
    const result = await work(tx);
    await store.wake(webhookId);
    await recordInTransaction(tx, tenantId, actor, webhookEvent(webhookId, 'resend'));
    return { webhook, result };
  });
}
