import type { Transform } from '../../../core/access/access-rule.ts';
import { type Actor, actorIdOf } from '../../../core/identity/caller.ts';

export const entityTypes = [
  'application',
  'bank',
  'card',
  'client_key',
  'erasure',
  'export',
  'import',
  'invitation',
  'key',
  'legal_hold',
  'log',
  'member',
  'proxy',
  'retention_rule',
  'session',
  'tenant',
  'token',
  'token_intent',
  'webhook',
] as const;
export type EntityType = (typeof entityTypes)[number];
export const operations = [
  'create',
  'read',
  'update',
  'delete',
  'restore',
  'remove',
  'expire',
  'property_expired',
  'invoke',
  'search',
  'authorize',
  'configure',
  'issue_link',
  'issue_key',
  'resend',
  'accept',
  'sign_in',
  'sign_out',
  'change_sign_in',
  'use_recovery_code',
  'request',
  'approve',
  'refuse',
  'run',
  'rotate',
  'rewrap',
  'move',
  'reencrypt',
  'retire',
  'alert',
  'acknowledge',
  'disable',
] as const;
export type Operation = (typeof operations)[number];
/**
 * The outcomes of an operation. A call that leaves the vault is recorded twice: once as an intent, before anything is
 * decrypted, and once with its result.
 */
export const outcomes = ['success', 'denied', 'missed', 'intent', 'failed', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** The entity id of an operation that concerns no single entity, such as reading a list. It is not a valid id. */
export const noSingleEntity = '*';

/**
 * An operation on an entity. No fields other than these are ever written: no values, no names, and no text from a
 * caller.
 */
export interface AuditEvent {
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly containers?: readonly string[];
  /** The host that a proxied call goes to. */
  readonly destination?: string;
  /** The view of the data that leaves the vault through this operation. Absent if no data leaves. */
  readonly transform?: Transform;
  readonly details?: AuditDetails;
}

/** The reason why a caller received a view of a token that it did not request directly. */
export type Way =
  /** A create request returned this token, because it already has the same content. */
  | 'duplicate'
  /** A request was repeated with the same idempotency key. */
  | 'replay'
  /**
   * A mask, search index or fingerprint expression was applied to stored data. Its author can read all of that data.
   */
  | 'view'
  /** The log was downloaded, up to its last record, not looked at page by page. */
  | 'download';

/** Details of an operation. They contain names and numbers, never values. */
export interface AuditDetails {
  readonly via?: Way;
  /** The id of the export that contained the token, or of the record of the alert that was acknowledged. */
  readonly within?: string;
  /** The fields that a search or a reference asked for, such as `type` or `data`, or the fields that expired. */
  readonly fields?: readonly string[];
  /** The number of requested items that exist, and the number that do not. */
  readonly found?: number;
  readonly missing?: number;
  /** The number of records of a file that were imported, and the number that were rejected. */
  readonly imported?: number;
  readonly rejected?: number;
  /** The rule of an alert, how often the watched event occurred, when the window began, and how long it is. */
  readonly rule?: string;
  readonly count?: number;
  readonly from?: string;
  readonly minutes?: number;
  /**
   * The newest checkpoint of a month that retention drops: its number, its root as base64, and the vault's signature.
   */
  readonly number?: number;
  readonly root?: string;
  readonly signature?: string;
  /** True if that month was archived before. */
  readonly archived?: boolean;
  /** The rights or settings that a change added and removed, one line each. */
  readonly changes?: readonly string[];
  /** SHA-256 of the rights or settings after the change, as base64url. */
  readonly digest?: string;
  /** Why a webhook was disabled, or what was found out about an alert. */
  readonly reason?: string;
  /** The ids of tokens that a call through a stored proxy created, as far as they fit in. `count` is how many. */
  readonly tokens?: readonly string[];
  /** The id of the stored proxy through which this was done. */
  readonly proxy?: string;
  /** The id of the member or application whose request somebody else approved or rejected. */
  readonly requester?: string;
}

/** Returns details with the number of missing items. If several were requested, they include the number found. */
export function toMissDetails({ count, found }: { readonly count: number; readonly found?: number }): AuditDetails {
  return { ...(found === undefined ? {} : { found }), missing: count };
}

/** Returns an event for an operation that succeeded. */
export function successEvent(entityType: EntityType, entityId: string, operation: Operation): AuditEvent {
  return { entityType, entityId, operation, outcome: 'success' };
}

/** An event with its actor, in the shape of the columns that store it. Absent values have no member in the JSON. */
export interface AuditRow {
  readonly entity_id: string;
  readonly entity_type: EntityType;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly actor_id: string | undefined;
  readonly actor_type: 'application' | 'session' | 'system' | 'user';
  readonly key_id: string | undefined;
  readonly request_id: string | undefined;
  readonly source_address: string | undefined;
  readonly containers: readonly string[] | undefined;
  readonly destination: string | undefined;
  readonly transform: Transform | undefined;
  readonly details: string | undefined;
}

export function toAuditRow(actor: Actor, event: AuditEvent): AuditRow {
  const isSystem = actor === 'system';
  const key = isSystem || 'userId' in actor ? undefined : actor;
  return {
    entity_id: event.entityId,
    entity_type: event.entityType,
    operation: event.operation,
    outcome: event.outcome,
    actor_id: key?.session === undefined ? (actorIdOf(actor) ?? undefined) : key.keyId,
    actor_type: isSystem
      ? 'system'
      : key === undefined
        ? 'user'
        : key.session === undefined
          ? 'application'
          : 'session',
    key_id: key?.keyId,
    request_id: isSystem ? undefined : actor.requestId,
    source_address: isSystem ? undefined : actor.sourceAddress,
    containers: event.containers,
    destination: event.destination,
    transform: event.transform,
    details: toDetailsText(event.details, key?.throughProxy),
  };
}

function toDetailsText(details: AuditDetails | undefined, proxy: string | undefined): string | undefined {
  if (proxy === undefined) return details === undefined ? undefined : JSON.stringify(details);
  return JSON.stringify({ ...details, proxy });
}
