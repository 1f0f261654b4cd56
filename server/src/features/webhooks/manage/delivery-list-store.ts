import type { EventType } from '../../../core/events/event-type.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Delivery, DeliveryStatus } from '../model/delivery.ts';
import type { WebhookCursor } from '../model/webhook-store.ts';

export interface DeliverySlice {
  readonly status: DeliveryStatus | undefined;
  readonly eventType: EventType | undefined;
  /** The last delivery of the previous page: the time of its last attempt, and its id. */
  readonly after: WebhookCursor | undefined;
  readonly limit: number;
}

export interface DeliverySlicePage {
  readonly items: readonly Delivery[];
  /** The delivery that the next page begins after. Undefined on the last page. */
  readonly next: WebhookCursor | undefined;
}

/**
 * The deliveries that one page looks at. An endpoint can have millions, and a filter that none of them matches would
 * otherwise have the database read them all.
 */
const scannedMax = 5_000;

const columns = `d.id, d.status, d.event_ids as "eventIds", d.event_types as "eventTypes", d.entity_id as "entityId", d.attempts,
  d.created_at as "createdAt", d.last_at as "lastAt", d.next_at as "nextAt", d.response_status as "responseStatus",
  d.duration_ms as "durationMs", d.error, d.response`;

/** The log of deliveries of one endpoint, as its owner sees it. */
export class DeliveryListStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #webhookId: string;

  constructor(tx: Transaction, tenantId: TenantId, webhookId: string) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#webhookId = webhookId;
  }

  /** Lists deliveries, the last attempts first. A page can be short, even empty, and have another one after it. */
  async list({ status, eventType, after, limit }: DeliverySlice): Promise<DeliverySlicePage> {
    const isFiltered = status !== undefined || eventType !== undefined;
    const scanned = isFiltered ? scannedMax : limit + 1;
    const rows = await this.#tx.query<Delivery & { readonly isMatch: boolean; readonly place: number }>({
      text: `with scanned as (
          select ${columns}, ($3::text is null or d.status = $3) and ($4::text is null or $4 = any(d.event_types)) as "isMatch",
            (row_number() over (order by d.last_at desc, d.id desc))::integer as place
          from webhook_deliveries d where d.tenant_id = $1 and d.webhook_id = $2
            and ($5::uuid is null or (d.last_at, d.id) < ($6, $5))
          order by d.last_at desc, d.id desc limit $7)
        (select * from scanned where "isMatch" order by place limit $8)
        union all (select * from scanned where not "isMatch" and place = $7)`,
      values: [
        this.#tenantId,
        this.#webhookId,
        status ?? null,
        eventType ?? null,
        after?.id ?? null,
        after?.createdAt ?? null,
        scanned,
        limit + 1,
      ],
    });
    const found = rows.filter(({ isMatch }) => isMatch);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : rows.find(({ place }) => place === scanned);
    return { items, next: last === undefined ? undefined : { createdAt: last.lastAt, id: last.id } };
  }

  /**
   * Has a delivery sent again. One that is waiting is tried at once and keeps its turn. Any other one is sent beside
   * later events of its entity, which do not wait for it.
   */
  async resend(deliveryId: string): Promise<Delivery | undefined> {
    const [row] = await this.#tx.query<Delivery>({
      text: `update webhook_deliveries d set next_at = now(), is_resent = is_resent or status <> 'waiting',
          attempts = case when status = 'waiting' then attempts else 0 end, status = 'waiting'
        where tenant_id = $1 and webhook_id = $2 and id = $3 returning ${columns}`,
      values: [this.#tenantId, this.#webhookId, deliveryId],
    });
    return row;
  }

  async find(deliveryId: string): Promise<Delivery | undefined> {
    const [row] = await this.#tx.query<Delivery>({
      text: `select ${columns} from webhook_deliveries d where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3`,
      values: [this.#tenantId, this.#webhookId, deliveryId],
    });
    return row;
  }

  /** Moves the position back, so that everything after it is sent again. A position that is further back stays. */
  async moveBackTo(position: number): Promise<void> {
    await this.#tx.query({
      text: `update webhook_positions set position = $3, resume_at = null
        where tenant_id = $1 and webhook_id = $2 and position > $3`,
      values: [this.#tenantId, this.#webhookId, position],
    });
  }
}
