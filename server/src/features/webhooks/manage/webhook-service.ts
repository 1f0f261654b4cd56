import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../../core/identity/caller.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { TreeTail } from '../../../platform/audit/follow/tree-tail.ts';
import { noSingleEntity } from '../../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import { generateWebhookSecret } from '../../../platform/keyring/webhooks/webhook-secret.ts';
import { findGranter } from '../../members/index.ts';
import {
  noSuchWebhook,
  type Webhook,
  webhookEvent,
  type WebhookSettings,
  webhooksMax,
  type WebhookStatus,
} from '../model/webhook.ts';
import { openSecrets, sealSecrets } from '../model/webhook-secrets.ts';
import { type Setter, type WebhookCursor, WebhookStore } from '../model/webhook-store.ts';
import type { WebhookUrlCheck } from './webhook-url-check.ts';

/** How long the previous secret signs as well after a rotation. */
const rotationHours = 24;
/** How far back an endpoint continues that was disabled, and how far back events can be sent again. */
export const replayDaysMax = 30;

/** An endpoint with a secret that was just created. */
export interface NewSecret {
  readonly webhook: Webhook;
  readonly secret: Sensitive<string>;
  readonly previousUntil?: Date;
}

export interface WebhookServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly keyring: Keyring;
  readonly urls: WebhookUrlCheck;
}

/** Manages the endpoints of a tenant. A worker delivers to them. */
export class WebhookService {
  readonly #parts: WebhookServiceParts;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
  }

  async create(caller: Caller, settings: WebhookSettings): Promise<NewSecret> {
    const { database, keyring, urls } = this.#parts;
    const { tenantId } = caller;
    const host = await urls.requireCallable(settings.url);
    const id = crypto.randomUUID();
    const secret = generateWebhookSecret();
    const sealed = sealSecrets(await keyring.forTenant(tenantId), id, { current: secret });
    return database.forTenant(tenantId, async (tx) => {
      const store = new WebhookStore(tx, tenantId);
      if ((await store.count()) >= webhooksMax) {
        throw new DomainError('validation-failed', `A tenant can have at most ${webhooksMax} webhooks.`);
      }
      await store.insert(id, settings, { ...(await findSetter(tx, caller)), sealed });
      await recordInTransaction(tx, tenantId, caller, webhookEvent(id, 'create', host));
      return { webhook: await getWebhook(store, id), secret };
    });
  }

  async list(caller: Caller, after: WebhookCursor | undefined, size: number) {
    const found = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      new WebhookStore(tx, caller.tenantId).list(after, size + 1),
    );
    await this.#parts.audit.append(caller, webhookEvent(noSingleEntity, 'read'));
    const items = found.slice(0, size);
    return { items, next: found.length > size ? items.at(-1) : undefined };
  }

  async get(caller: Caller, id: string): Promise<Webhook> {
    const webhook = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      getWebhook(new WebhookStore(tx, caller.tenantId), id),
    );
    await this.#parts.audit.append(caller, webhookEvent(id, 'read'));
    return webhook;
  }

  /** Replaces the settings. If the status is undefined, it stays as it is. */
  async update(
    caller: Caller,
    id: string,
    { status, ...settings }: WebhookSettings & { readonly status: WebhookStatus | undefined },
  ): Promise<Webhook> {
    const { database, urls } = this.#parts;
    const { tenantId } = caller;
    const host = await urls.requireCallable(settings.url);
    return database.forTenant(tenantId, async (tx) => {
      const store = new WebhookStore(tx, tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchWebhook();
      await store.update(id, settings, await findSetter(tx, caller));
      if (status === 'disabled') await store.disable(id);
      if (status === 'enabled' && current.status === 'disabled') {
        await store.enable(id, await new TreeTail(tx, tenantId).sizeAt(daysAgo(replayDaysMax)));
      }
      await store.wake(id);
      await recordInTransaction(tx, tenantId, caller, webhookEvent(id, 'update', host));
      return getWebhook(store, id);
    });
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      if (!(await new WebhookStore(tx, caller.tenantId).delete(id))) throw noSuchWebhook();
      await recordInTransaction(tx, caller.tenantId, caller, webhookEvent(id, 'delete'));
    });
  }

  /** Replaces the signing secret. For a day, requests are signed with the previous one as well. */
  async rotateSecret(caller: Caller, id: string): Promise<NewSecret> {
    const { database, keyring } = this.#parts;
    const { tenantId } = caller;
    const secret = generateWebhookSecret();
    const previousUntil = new Date(Date.now() + rotationHours * 3_600_000);
    const known = await database.forTenant(tenantId, (tx) => new WebhookStore(tx, tenantId).findSealed(id));
    if (known === undefined) throw noSuchWebhook();
    // Loaded before the transaction begins, because a key service may have to be asked.
    const keys = await keyring.forRecord(tenantId, known);
    return database.forTenant(tenantId, async (tx) => {
      const store = new WebhookStore(tx, tenantId);
      const webhook = await store.lock(id);
      const sealed = await store.findSealed(id);
      if (webhook === undefined || sealed === undefined) throw noSuchWebhook();
      const { current } = openSecrets(keys, id, sealed);
      const rotated = { current: secret, previous: { secret: current, until: previousUntil } };
      await store.replaceSecrets(id, sealSecrets(keys, id, rotated));
      await recordInTransaction(tx, tenantId, caller, webhookEvent(id, 'rotate'));
      return { webhook, secret, previousUntil };
    });
  }
}

async function getWebhook(store: WebhookStore, id: string): Promise<Webhook> {
  const webhook = await store.find(id);
  if (webhook === undefined) throw noSuchWebhook();
  return webhook;
}

async function findSetter(tx: Transaction, caller: Caller): Promise<Setter> {
  return { actorId: actorIdOf(caller), grantedBy: await findGranter(tx, caller) };
}

export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 24 * 3_600_000);
}

/** Throws unless a time is recent enough for its events to be sent again. */
export function requireReplayable(name: string, time: Date): void {
  if (time < daysAgo(replayDaysMax)) throw invalidField(name, `must be at most ${replayDaysMax} days ago`);
}
