import type { TenantId } from '../../../core/identity/ids.ts';
import { noSingleEntity } from '../../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { DeliveryListStore, type DeliverySlice } from '../manage/delivery-list-store.ts';
import { resendDelivery, resendSince } from '../manage/resend.ts';
import type { Delivery } from '../model/delivery.ts';
import { noSuchWebhook, type Webhook, webhookEvent, webhooksMax } from '../model/webhook.ts';
import { type WebhookCursor, WebhookStore } from '../model/webhook-store.ts';

/** What an operator does with the endpoints of a tenant. All of it is recorded in the tenant's log. */
export class WebhookOperation {
  readonly #database: Database;
  readonly #tenantId: TenantId;

  constructor({ database }: { readonly database: Database }, tenantId: TenantId) {
    this.#database = database;
    this.#tenantId = tenantId;
  }

  list(): Promise<Webhook[]> {
    return this.#database.forTenant(this.#tenantId, async (tx) => {
      await recordInTransaction(tx, this.#tenantId, 'system', webhookEvent(noSingleEntity, 'read'));
      return new WebhookStore(tx, this.#tenantId).list(undefined, webhooksMax);
    });
  }

  listDeliveries(webhookId: string, slice: Pick<DeliverySlice, 'status' | 'limit'>): Promise<Delivery[]> {
    return this.#database.forTenant(this.#tenantId, async (tx) => {
      if ((await new WebhookStore(tx, this.#tenantId).find(webhookId)) === undefined) throw noSuchWebhook();
      await recordInTransaction(tx, this.#tenantId, 'system', webhookEvent(webhookId, 'read'));
      const store = new DeliveryListStore(tx, this.#tenantId, webhookId);
      const found: Delivery[] = [];
      let after: WebhookCursor | undefined;
      do {
        const page = await store.list({ ...slice, limit: slice.limit - found.length, eventType: undefined, after });
        found.push(...page.items);
        after = page.next;
      } while (after !== undefined && found.length < slice.limit);
      return found;
    });
  }

  async resend(webhookId: string, what: { readonly deliveryId: string } | { readonly since: Date }): Promise<void> {
    const order = { tenantId: this.#tenantId, webhookId, actor: 'system' } as const;
    if ('deliveryId' in what) await resendDelivery(this.#database, order, what.deliveryId);
    else await resendSince(this.#database, order, what.since);
  }
}
