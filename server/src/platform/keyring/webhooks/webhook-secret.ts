import { createHmac, randomBytes } from 'node:crypto';
import { Sensitive } from '../../../core/identity/sensitive.ts';

const prefix = 'whsec_';
const secretBytes = 32;

/** Returns a new signing secret in the spelling of Standard Webhooks. */
export function generateWebhookSecret(): Sensitive<string> {
  return new Sensitive(`${prefix}${randomBytes(secretBytes).toString('base64')}`);
}

/** The parts of a message that its signature covers. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Returns the value of `webhook-signature` (Standard Webhooks 1.0.0): one signature for each secret that is valid,
 * separated by spaces.
 */
export function signWebhook(secrets: readonly Sensitive<string>[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.reveal().slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
