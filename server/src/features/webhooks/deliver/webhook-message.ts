import { toCanonicalJson } from '../../../core/events/canonical-json.ts';
import type { VaultEvent } from '../../../core/events/event-envelope.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { HeaderField } from '../../../platform/outbound/destination-exchange.ts';
import { sha256 } from '../../../platform/keyring/sealing/sha256.ts';
import { signWebhook } from '../../../platform/keyring/webhooks/webhook-secret.ts';
import type { WebhookSignatureKey } from '../../../platform/keyring/webhooks/webhook-signature-key.ts';

/** A request to an endpoint. Its id is the same whenever the same events are sent together. */
export interface WebhookMessage {
  readonly id: string;
  readonly headers: readonly HeaderField[];
  readonly body: string;
}

/** What a message depends on besides its events. */
export interface MessageOptions {
  /** True if the endpoint takes several events in a request. A single one is then sent in a list as well. */
  readonly isBatch: boolean;
  readonly secrets: readonly Sensitive<string>[];
  /** The key of `BT-SIGNATURE`, if the endpoint wants that signature. */
  readonly signatureKey: WebhookSignatureKey | undefined;
  readonly now: Date;
}

/** Returns the id of a message: that of its event, or one derived from those of its events (RFC 9562 §5.8). */
export function messageIdOf(eventIds: readonly string[]): string {
  const [only, ...more] = eventIds;
  if (only !== undefined && more.length === 0) return only;
  const hash = sha256(Buffer.from(eventIds.join(' '), 'ascii')).toString('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

export async function toMessage(events: readonly VaultEvent[], options: MessageOptions): Promise<WebhookMessage> {
  const { isBatch, secrets, signatureKey, now } = options;
  const content = isBatch ? { events } : { event: events[0] };
  const body = toCanonicalJson({ ...content, delivered_at: now.toISOString() });
  const id = messageIdOf(events.map((event) => event.id));
  const timestamp = Math.floor(now.getTime() / 1_000);
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: 'Strongroom' },
    { name: 'webhook-id', value: id },
    { name: 'webhook-timestamp', value: String(timestamp) },
    { name: 'webhook-signature', value: signWebhook(secrets, { id, timestamp, body }) },
  ];
  if (signatureKey === undefined) return { id, headers, body };
  // The body is canonical JSON already, which is what this signature covers.
  const compatible = [
    { name: 'BT-SIGNATURE', value: await signatureKey.sign(body) },
    { name: 'BT-SIGNATURE-VERSION', value: 'v1' },
  ];
  return { id, headers: [...headers, ...compatible], body };
}
