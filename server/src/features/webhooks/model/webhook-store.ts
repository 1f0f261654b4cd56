import type { TenantId } from '../../../core/identity/ids.ts';
import type { SqlValue, Transaction } from '../../../platform/database/database.ts';
import { keysAreOpen, keyVersionsOf } from '../../../platform/keyring/keys/sealed-rows.ts';
import type { DisabledReason, Webhook, WebhookSettings } from './webhook.ts';

const columns = `w.tenant_id as "tenantId", w.id, w.name, w.url, w.notify_email as "notifyEmail", w.events, w.containers,
  w.batch_size as "batchSize", w.has_bt_signature as "hasBtSignature", w.status, w.disabled_reason as "disabledReason",
  w.created_by as "createdBy", w.created_at as "createdAt", w.modified_by as "modifiedBy", w.modified_at as "modifiedAt",
  w.granted_by as "grantedBy", p.failing_since as "failingSince"`;
const source = 'webhooks w join webhook_positions p on p.tenant_id = w.tenant_id and p.webhook_id = w.id';

export interface WebhookCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** The author of an endpoint's settings, and the member on whose authority they act. */
export interface Setter {
  readonly actorId: string | null;
  readonly grantedBy: string | null;
}

/** The endpoints of one tenant. */
export class WebhookStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Stores an endpoint. Its first event is the next one that is sealed. */
  async insert(id: string, settings: WebhookSettings, of: Setter & { readonly sealed: Buffer }): Promise<void> {
    await this.#tx.query({
      text: `with made as (
          insert into webhooks (tenant_id, id, name, url, notify_email, events, containers, batch_size, has_bt_signature,
            secrets_sealed, created_by, granted_by)
          select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 where ${keysAreOpen(13)})
        insert into webhook_positions (tenant_id, webhook_id, position) select $1, $2, ${treeSize}`,
      values: [
        this.#tenantId,
        id,
        ...toValues(settings),
        of.sealed,
        of.actorId,
        of.grantedBy,
        keyVersionsOf([of.sealed]),
      ],
    });
  }

  async count(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: 'select count(*)::integer as total from webhooks where tenant_id = $1',
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /** Lists endpoints, newest first. */
  list(after: WebhookCursor | undefined, limit: number): Promise<Webhook[]> {
    return this.#tx.query({
      text: `select ${columns} from ${source}
        where w.tenant_id = $1 and ($2::uuid is null or (w.created_at, w.id) < ($3, $2))
        order by w.created_at desc, w.id desc limit $4`,
      values: [this.#tenantId, after?.id ?? null, after?.createdAt ?? null, limit],
    });
  }

  async find(id: string): Promise<Webhook | undefined> {
    const [row] = await this.#tx.query<Webhook>({
      text: `select ${columns} from ${source} where w.tenant_id = $1 and w.id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Works like `find`, and locks the row until this transaction ends. */
  async lock(id: string): Promise<Webhook | undefined> {
    const [row] = await this.#tx.query<Webhook>({
      text: `select ${columns} from ${source} where w.tenant_id = $1 and w.id = $2 for update of w`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  async findSealed(id: string): Promise<Buffer | undefined> {
    const [row] = await this.#tx.query<{ sealed: Buffer }>({
      text: 'select secrets_sealed as sealed from webhooks where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id],
    });
    return row?.sealed;
  }

  /**
   * Changes the settings. The endpoint starts again as one that has not failed. The time of a change is later than that
   * of any before, because deliveries recognise a changed endpoint by it.
   */
  async update(id: string, settings: WebhookSettings, of: Setter): Promise<void> {
    await this.#tx.query({
      text: `with reset as (
          update webhook_positions set failing_since = null, failures = 0, resume_at = null where tenant_id = $1 and webhook_id = $2)
        update webhooks set name = $3, url = $4, notify_email = $5, events = $6, containers = $7, batch_size = $8,
          has_bt_signature = $9, modified_by = $10,
          modified_at = greatest(now(), modified_at + interval '1 millisecond'), granted_by = $11
        where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, ...toValues(settings), of.actorId, of.grantedBy],
    });
  }

  async replaceSecrets(id: string, sealed: Buffer): Promise<void> {
    await this.#tx.query({
      text: `update webhooks set secrets_sealed = $3 where tenant_id = $1 and id = $2 and ${keysAreOpen(4)}`,
      values: [this.#tenantId, id, sealed, keyVersionsOf([sealed])],
    });
  }

  /** Disables an endpoint at its owner's request, unless it is disabled already. */
  async disable(id: string): Promise<void> {
    await this.#tx.query({
      text: `update webhooks set status = 'disabled', disabled_reason = 'request'
        where tenant_id = $1 and id = $2 and status = 'enabled'`,
      values: [this.#tenantId, id],
    });
  }

  /**
   * Disables an endpoint because of how it behaved, or for its owner's lost rights. Returns false if it is disabled
   * already, or if it was changed since the given time of its last change: the reason was found about what it was then.
   */
  async disableUnchanged(
    { id, modifiedAt }: Pick<Webhook, 'id' | 'modifiedAt'>,
    reason: Exclude<DisabledReason, 'request'>,
  ): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update webhooks set status = 'disabled', disabled_reason = $3
        where tenant_id = $1 and id = $2 and status = 'enabled' and modified_at is not distinct from $4 returning 1`,
      values: [this.#tenantId, id, reason, modifiedAt],
    });
    return rows.length > 0;
  }

  /** Enables an endpoint. It continues from the given number of leaves, or where it stopped if that is later. */
  async enable(id: string, positionMin: number): Promise<void> {
    await this.#tx.query({
      text: `with moved as (
          update webhook_positions set position = greatest(position, $3), failing_since = null, failures = 0, resume_at = null
          where tenant_id = $1 and webhook_id = $2)
        update webhooks set status = 'enabled', disabled_reason = null where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, positionMin],
    });
  }

  /** Enqueues the mail that says that an endpoint was disabled. It is sent after the commit. */
  async enqueueMail(id: string, delaySeconds = 0): Promise<void> {
    await this.#tx.query({
      text: `select enqueue_job('mail-webhook', json_build_object('tenant_id', $1::uuid, 'webhook_id', $2::uuid),
        'mail-webhook:' || $2, $3::integer)`,
      values: [this.#tenantId, id, delaySeconds],
    });
  }

  async delete(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from webhooks where tenant_id = $1 and id = $2 returning 1',
      values: [this.#tenantId, id],
    });
    return rows.length > 0;
  }

  /** Has a worker look at the endpoint when this transaction commits. */
  async wake(id: string, delaySeconds = 0): Promise<void> {
    await this.#tx.query({
      text: 'select wake_webhooks(array[$1::uuid], array[$2::uuid], $3::integer)',
      values: [this.#tenantId, id, Math.ceil(delaySeconds)],
    });
  }
}

const treeSize = `coalesce((select c.tree_size from audit_checkpoints c where c.tenant_id = $1 order by c.number desc limit 1), 0)`;

function toValues(settings: WebhookSettings): SqlValue[] {
  const { name, url, notifyEmail, events, containers, batchSize, hasBtSignature } = settings;
  return [name, url, notifyEmail, [...events], containers === null ? null : [...containers], batchSize, hasBtSignature];
}
