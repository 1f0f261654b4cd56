import { Sensitive } from '../../../core/identity/sensitive.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { secretsBinding } from './sealed-webhooks-sql.ts';
import type { WebhookSecrets } from './webhook.ts';

export function sealSecrets(keyring: TenantKeyring, webhookId: string, { current, previous }: WebhookSecrets): Buffer {
  const text = JSON.stringify({
    current: current.reveal(),
    ...(previous === undefined
      ? {}
      : { previous: previous.secret.reveal(), previous_until: previous.until.toISOString() }),
  });
  return keyring.seal(text, secretsBinding(webhookId));
}

export function openSecrets(keyring: TenantKeyring, webhookId: string, sealed: Buffer): WebhookSecrets {
  const {
    current,
    previous,
    previous_until: until,
  } = membersOf(JSON.parse(keyring.open(sealed, secretsBinding(webhookId))));
  if (typeof current !== 'string') throw new TypeError('An endpoint must have a signing secret.');
  const hasPrevious = typeof previous === 'string' && typeof until === 'string';
  return {
    current: new Sensitive(current),
    ...(hasPrevious ? { previous: { secret: new Sensitive(previous), until: new Date(until) } } : {}),
  };
}

/** Returns the secrets that sign at this time, newest first. */
export function validSecrets({ current, previous }: WebhookSecrets, now: Date): Sensitive<string>[] {
  return previous === undefined || previous.until <= now ? [current] : [current, previous.secret];
}
