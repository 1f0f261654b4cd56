import type { Caller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type Delivery, noSuchDelivery } from '../model/delivery.ts';
import { noSuchWebhook, type Webhook, webhookEvent } from '../model/webhook.ts';
import { WebhookStore } from '../model/webhook-store.ts';
import { DeliveryListStore, type DeliverySlice, type DeliverySlicePage } from './delivery-list-store.ts';
import { resendDelivery, resendSince } from './resend.ts';

/** Shows what was sent to an endpoint, and has it sent again. */
export class DeliveryService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(caller: Caller, webhookId: string, slice: DeliverySlice): Promise<DeliverySlicePage> {
    const { tenantId } = caller;
    const page = await this.#database.forTenant(tenantId, async (tx) => {
      if ((await new WebhookStore(tx, tenantId).find(webhookId)) === undefined) throw noSuchWebhook();
      return new DeliveryListStore(tx, tenantId, webhookId).list(slice);
    });
    await this.#audit.append(caller, webhookEvent(webhookId, 'read'));
    return page;
  }

  async get(caller: Caller, webhookId: string, deliveryId: string): Promise<Delivery> {
    const delivery = await this.#database.forTenant(caller.tenantId, (tx) =>
      new DeliveryListStore(tx, caller.tenantId, webhookId).find(deliveryId),
    );
    if (delivery === undefined) throw noSuchDelivery();
    await this.#audit.append(caller, webhookEvent(webhookId, 'read'));
    return delivery;
  }

  resend(caller: Caller, webhookId: string, deliveryId: string): Promise<Delivery> {
    return resendDelivery(this.#database, { tenantId: caller.tenantId, webhookId, actor: caller }, deliveryId);
  }

  resendSince(caller: Caller, webhookId: string, since: Date): Promise<Webhook> {
    return resendSince(this.#database, { tenantId: caller.tenantId, webhookId, actor: caller }, since);
  }
}
