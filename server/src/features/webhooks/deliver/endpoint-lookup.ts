import type { TenantId } from '../../../core/identity/ids.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { mayStillReceive } from '../manage/webhook-owner.ts';
import { type Webhook, webhookEvent, type WebhookSecrets } from '../model/webhook.ts';
import { openSecrets } from '../model/webhook-secrets.ts';
import { WebhookStore } from '../model/webhook-store.ts';
import { failuresMax } from './retry-schedule.ts';
import { RunStore, type RunState } from './run-store.ts';

/** How long an endpoint waits whose secrets cannot be decrypted, because the own root key of its tenant fails. */
const suspendedSeconds = 60;

/** An endpoint that a run may deliver to. */
export interface Endpoint {
  readonly webhook: Webhook;
  readonly state: RunState;
  readonly secrets: WebhookSecrets;
}

export interface EndpointId {
  readonly tenantId: TenantId;
  readonly webhookId: string;
}

/** Finds endpoints for their runs, and disables those that must not receive anything any more. */
export class EndpointLookup {
  readonly #database: Database;
  readonly #keyring: Keyring;

  constructor(parts: { database: Database; keyring: Keyring }) {
    this.#database = parts.database;
    this.#keyring = parts.keyring;
  }

  /**
   * Returns undefined if nothing is to be delivered: the endpoint is gone or disabled, its owner lost the right, or the
   * own root key of its tenant fails.
   */
  async find(of: EndpointId): Promise<Endpoint | undefined> {
    const { tenantId, webhookId } = of;
    const found = await this.#database.forTenant(tenantId, async (tx) => {
      const webhook = await new WebhookStore(tx, tenantId).find(webhookId);
      const state = await new RunStore(tx, of).findState();
      if (webhook === undefined || state === undefined || webhook.status === 'disabled') return undefined;
      if (await mayStillReceive(tx, webhook)) return { webhook, state };
      await disable(tx, webhook, 'owner');
      return undefined;
    });
    if (found === undefined) return undefined;
    const keyring = await this.#findKeyring(of, found.state.secretsSealed);
    if (keyring === undefined) return undefined;
    return { ...found, secrets: openSecrets(keyring, webhookId, found.state.secretsSealed) };
  }

  /**
   * Returns undefined and suspends the endpoint if the own root key of its tenant fails. The job does not fail: an
   * operator cannot mend that key, and should be alerted neither to failing jobs nor to late webhooks.
   */
  async #findKeyring(of: EndpointId, sealed: Buffer): Promise<TenantKeyring | undefined> {
    const { tenantId, webhookId } = of;
    try {
      return await this.#keyring.forRecord(tenantId, sealed);
    } catch (error) {
      if (this.#keyring.ownOutages.find(tenantId) === undefined) throw error;
      await this.#database.forTenant(tenantId, async (tx) => {
        await new RunStore(tx, of).suspend(failuresMax, suspendedSeconds);
        await new WebhookStore(tx, tenantId).wake(webhookId, suspendedSeconds);
      });
      return undefined;
    }
  }

  async disable({ webhook }: Endpoint, reason: 'gone' | 'failing'): Promise<void> {
    await this.#database.forTenant(webhook.tenantId, (tx) => disable(tx, webhook, reason));
  }
}

/**
 * Disables an endpoint with a record, and enqueues the mail about it, all in one transaction. Does nothing if its owner
 * has changed the endpoint since it was read.
 */
async function disable(tx: Transaction, webhook: Webhook, reason: 'gone' | 'failing' | 'owner'): Promise<void> {
  const { tenantId, id, notifyEmail } = webhook;
  const store = new WebhookStore(tx, tenantId);
  if (!(await store.disableUnchanged(webhook, reason))) return;
  await recordInTransaction(tx, tenantId, 'system', { ...webhookEvent(id, 'disable'), details: { reason } });
  if (notifyEmail !== null) await store.enqueueMail(id);
}
