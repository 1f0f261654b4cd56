import type { Transform } from '../../../core/access/access-rule.ts';
import { type Actor, actorIdOf } from '../../../core/identity/caller.ts';

export const entityTypes = [
  'application',
  'bank',
  'card',
  'export',
  'import',
  'invitation',
  'key',
  'log',
  'member',
  'proxy',
  'session',
  'tenant',
  'token',
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
  'reencrypt',
  'retire',
  'alert',
] as const;
export type Operation = (typeof operations)[number];
/** A call that leaves the house is written down twice: what is intended, before anything is decrypted, and how it ended. */
export const outcomes = ['success', 'denied', 'missed', 'intent', 'failed', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** Stands for the entity where an operation concerns none in particular, such as reading a list. No id looks like it. */
export const noSingleEntity = '*';

/** What happened to what. Only these fields are ever written: no value, no name, no text of a caller. */
export interface AuditEvent {
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly containers?: readonly string[];
  /** Host that a proxied call goes to. */
  readonly destination?: string;
  /** The view of the data that leaves the vault by this operation; absent if none does. */
  readonly transform?: Transform;
  readonly details?: AuditDetails;
}

/** How a view of a token left, if not because somebody asked for the token. */
export type Way =
  /** A create was given this token, which has the content already. */
  | 'duplicate'
  /** An idempotent request was repeated. */
  | 'replay'
  /** A mask, search index or fingerprint expression was put over stored data: its author can read all of it. */
  | 'view';

/** What an operation was about in particular. Its members are names and numbers, never values. */
export interface AuditDetails {
  readonly via?: Way;
  /** The export that a token left with. */
  readonly within?: string;
  /** Fields that a search or a reference asked for, such as `type` or `data`, or that expired. */
  readonly fields?: readonly string[];
  /** How many of the things asked for there are, and how many there are not. */
  readonly found?: number;
  readonly missing?: number;
  /** How many records of a file were imported, and how many refused. */
  readonly imported?: number;
  readonly rejected?: number;
  /** Of an alert: the rule, how much there was of what it watches for, and when the window began and how long it is. */
  readonly rule?: string;
  readonly count?: number;
  readonly from?: string;
  readonly minutes?: number;
  /** For a month that retention drops: the number of its newest checkpoint, the root of that as base64, and the vault's signature. */
  readonly number?: number;
  readonly root?: string;
  readonly signature?: string;
  /** What a change of rights or settings added and removed, a line each. */
  readonly changes?: readonly string[];
  /** SHA-256 of the rights or settings after the change, as base64url. */
  readonly digest?: string;
  /** Id of the member or application that requested what somebody else has approved or refused. */
  readonly requester?: string;
}

/** How many of the things asked for there are not, and how many there are where several were asked for. */
export function toMissDetails({ count, found }: { readonly count: number; readonly found?: number }): AuditDetails {
  return { ...(found === undefined ? {} : { found }), missing: count };
}

/** What was done, as opposed to what was tried. */
export function successEvent(entityType: EntityType, entityId: string, operation: Operation): AuditEvent {
  return { entityType, entityId, operation, outcome: 'success' };
}

/** An event with its actor, in the shape of the columns that it is stored in. As JSON it has no member for what is absent. */
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
    details: event.details === undefined ? undefined : JSON.stringify(event.details),
  };
}
