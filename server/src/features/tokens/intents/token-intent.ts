import type { TenantId } from '../../../core/identity/ids.ts';
import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import {
  type AuditEvent,
  noSingleEntity,
  type Operation,
  successEvent,
} from '../../../platform/audit/record/audit-event.ts';
import type { FieldBinding } from '../../../platform/keyring/keys/tenant-keyring.ts';

/** A token intent as stored in the database. Its data and its card verification code are sealed. */
export interface StoredIntent {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly type: string;
  readonly data: Buffer;
  /** Null once the code has expired. */
  readonly cvc: Buffer | null;
  readonly fingerprint: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A token intent that is encrypted and ready to be written. */
export type SealedIntent = Omit<StoredIntent, 'createdAt' | 'expiresAt'>;

/**
 * Returns the context that a sealed field of an intent is bound to. No token has such a type, so the field does not
 * open as that of a token with the same id.
 */
export function intentBinding({ id, type }: Pick<StoredIntent, 'id' | 'type'>, field: 'data' | 'cvc'): FieldBinding {
  return { tokenId: id, field, recordVersion: 1, type: `token-intent/${type}` };
}

/** Returns the containers that decide who may use an intent: those that a token of this type has by default. */
export function intentContainers(type: string): readonly string[] {
  return findTokenType(type)?.defaultContainers ?? [];
}

export function intentEvent(operation: Operation, intent?: Pick<StoredIntent, 'id' | 'type'>): AuditEvent {
  const event = successEvent('token_intent', intent?.id ?? noSingleEntity, operation);
  return intent === undefined ? event : { ...event, containers: intentContainers(intent.type) };
}
