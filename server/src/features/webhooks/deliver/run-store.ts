import type { TenantId } from '../../../core/identity/ids.ts';
import type { EventType } from '../../../core/events/event-type.ts';
import { isClosed } from '../../../platform/database/closed-tenant-sql.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { DeliveryResult, DeliveryStatus } from '../model/delivery.ts';

/** How far an endpoint has come, and how it has been responding. */
export interface RunState {
  readonly position: number;
  readonly failures: number;
  /** How long the endpoint has been failing, in seconds. Null if the last request succeeded. */
  readonly failingSeconds: number | null;
  /** How long no request may be sent, in seconds. 0 if one may be sent now. */
  readonly waitSeconds: number;
  readonly secretsSealed: Buffer;
}

/** An event, or a resent batch, that is waiting and whose turn it is. */
export interface WaitingHead {
  readonly id: string;
  readonly entityId: string | null;
  readonly leaves: readonly number[];
  readonly isResent: boolean;
  readonly attempts: number;
  /** How long it still has to wait, in seconds. 0 if it is due. */
  readonly waitSeconds: number;
}

/** What is noted about a message. */
export interface NotedDelivery extends DeliveryResult {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly eventIds: readonly string[];
  readonly eventTypes: readonly EventType[];
  readonly entityId: string | null;
  readonly leaves: readonly number[];
  readonly attempts: number;
  /** The delay before the next attempt, in seconds. Null if there is none, or if it waits behind another event. */
  readonly nextSeconds: number | null;
}

/** What a run has done since it last saved. */
export interface RunProgress {
  readonly from: number;
  readonly to: number;
  readonly failures: number;
  /** How long no request may be sent from now on, in seconds. */
  readonly waitSeconds: number;
  readonly noted: readonly NotedDelivery[];
  /** True if events that failed are sent again at once, because the endpoint has recovered. */
  readonly hasRecovered: boolean;
}

/** The state of one endpoint, for the run that delivers to it. */
export class RunStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #webhookId: string;

  constructor(tx: Transaction, of: { readonly tenantId: TenantId; readonly webhookId: string }) {
    this.#tx = tx;
    this.#tenantId = of.tenantId;
    this.#webhookId = of.webhookId;
  }

  /** Returns undefined if there is no such endpoint, or if its tenant is in another cell. */
  async findState(): Promise<RunState | undefined> {
    const [row] = await this.#tx.query<RunState>({
      name: 'webhook-state',
      text: `select p.position::float8 as position, p.failures, w.secrets_sealed as "secretsSealed",
          extract(epoch from now() - p.failing_since)::float8 as "failingSeconds",
          greatest(coalesce(extract(epoch from p.resume_at - now()), 0), 0)::float8 as "waitSeconds"
        from webhook_positions p join webhooks w on w.tenant_id = p.tenant_id and w.id = p.webhook_id
        where p.tenant_id = $1 and p.webhook_id = $2
          and not ${isClosed('$1')}`,
      values: [this.#tenantId, this.#webhookId],
    });
    return row;
  }

  /** Lists the first waiting event of each entity, and everything that is to be resent. */
  listHeads(limit: number): Promise<WaitingHead[]> {
    return this.#tx.query({
      name: 'webhook-heads',
      text: `select id, entity_id as "entityId", leaves::float8[] as leaves, is_resent as "isResent", attempts,
          greatest(coalesce(extract(epoch from next_at - now()), 0), 0)::float8 as "waitSeconds"
        from (
          select distinct on (case when is_resent then id::text else entity_id end) * from webhook_deliveries
          where tenant_id = $1 and webhook_id = $2 and status = 'waiting'
          order by case when is_resent then id::text else entity_id end, leaves[1]) as head
        order by leaves[1] limit $3`,
      values: [this.#tenantId, this.#webhookId, limit],
    });
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      name: 'webhook-waiting',
      text: `select count(*)::integer as total from webhook_deliveries
        where tenant_id = $1 and webhook_id = $2 and status = 'waiting'`,
      values: [this.#tenantId, this.#webhookId],
    });
    return row?.total ?? 0;
  }

  /**
   * Saves progress. Returns false, and the caller must send and save nothing more, if the position was moved or the
   * endpoint deleted, changed or disabled in the meantime. `modifiedAt` is when it was last changed as the caller knows
   * it.
   */
  async save(
    { from, to, failures, waitSeconds, noted, hasRecovered }: RunProgress,
    modifiedAt: Date | null,
  ): Promise<boolean> {
    // Locked first, like a deletion does. Otherwise the two could wait for each other.
    const [current] = await this.#tx.query<{ isUnchanged: boolean }>({
      name: 'webhook-lock',
      text: `select status = 'enabled' and modified_at is not distinct from $3 as "isUnchanged" from webhooks
        where tenant_id = $1 and id = $2 for key share`,
      values: [this.#tenantId, this.#webhookId, modifiedAt],
    });
    if (current === undefined) return false;
    // What was changed starts again, no matter how the endpoint responded before.
    const [failing, waiting] = current.isUnchanged ? [failures, waitSeconds] : [0, 0];
    const moved = await this.#tx.query({
      name: 'webhook-save',
      text: `update webhook_positions set position = $4, failures = $5,
          failing_since = case when $5 = 0 then null else coalesce(failing_since, now()) end,
          resume_at = case when $6::float8 > 0 then now() + make_interval(secs => $6::float8) end
        where tenant_id = $1 and webhook_id = $2 and position = $3 returning 1`,
      values: [this.#tenantId, this.#webhookId, from, to, failing, waiting],
    });
    if (moved.length === 0) return false;
    if (noted.length > 0) await this.#note(noted);
    if (hasRecovered) await this.#hasten();
    return current.isUnchanged;
  }

  /** Counts the endpoint as failing, and sends it nothing for a while. */
  async suspend(failures: number, seconds: number): Promise<void> {
    await this.#tx.query({
      text: `update webhook_positions set failures = greatest(failures, $3::integer),
          failing_since = coalesce(failing_since, now()), resume_at = now() + make_interval(secs => $4::float8)
        where tenant_id = $1 and webhook_id = $2`,
      values: [this.#tenantId, this.#webhookId, failures, seconds],
    });
  }

  async #note(noted: readonly NotedDelivery[]): Promise<void> {
    await this.#tx.query({
      name: 'webhook-note',
      text: `insert into webhook_deliveries as known (tenant_id, webhook_id, id, status, event_ids, event_types, entity_id, leaves,
          attempts, created_at, last_at, next_at, response_status, duration_ms, error, response)
        select $1, $2, id, status, "eventIds", "eventTypes", "entityId", leaves, attempts, now(), now(),
          now() + make_interval(secs => "nextSeconds"), "responseStatus", "durationMs", error, response
        from json_to_recordset($3::json) as d(id uuid, status text, "eventIds" uuid[], "eventTypes" text[], "entityId" text,
          leaves bigint[], attempts integer, "nextSeconds" float8, "responseStatus" smallint, "durationMs" integer, error text,
          response text)
        on conflict (tenant_id, webhook_id, id) do update set status = excluded.status, attempts = excluded.attempts,
          last_at = excluded.last_at, next_at = excluded.next_at, response_status = excluded.response_status,
          duration_ms = excluded.duration_ms, error = excluded.error, response = excluded.response,
          is_resent = known.is_resent and excluded.status = 'waiting'`,
      values: [this.#tenantId, this.#webhookId, JSON.stringify(noted)],
    });
  }

  /** Makes every event due that waits for its next attempt. */
  async #hasten(): Promise<void> {
    await this.#tx.query({
      text: `update webhook_deliveries set next_at = now()
        where tenant_id = $1 and webhook_id = $2 and status = 'waiting' and next_at > now()`,
      values: [this.#tenantId, this.#webhookId],
    });
  }
}

/** Removes up to `limit` deliveries of a tenant that are older than 30 days and not waiting. */
export async function deleteOldDeliveries(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from webhook_deliveries where (tenant_id, webhook_id, id) in (
        select d.tenant_id, d.webhook_id, d.id from webhooks w cross join lateral (
          select * from webhook_deliveries d where d.tenant_id = $1 and d.webhook_id = w.id
            and d.last_at < now() - interval '30 days' and d.status <> 'waiting' limit $2) d
        where w.tenant_id = $1 limit $2) returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
