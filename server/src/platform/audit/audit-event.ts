import { type Actor, actorIdOf } from '../../core/identity/caller.ts';

export const entityTypes = [
  'application',
  'bank',
  'card',
  'export',
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
export type Operation = 'create' | 'read' | 'update' | 'delete' | 'expire' | 'invoke';
/** A call that leaves the house is written down twice: what is intended, before anything is decrypted, and how it ended. */
export type Outcome = 'success' | 'denied' | 'intent' | 'failed' | 'unknown';

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
}

/** What was done, as opposed to what was tried. */
export function successEvent(entityType: EntityType, entityId: string, operation: Operation): AuditEvent {
  return { entityType, entityId, operation, outcome: 'success' };
}

/** An event with its actor, in the shape of the columns that it is stored in. */
export interface AuditRow {
  readonly entity_id: string;
  readonly entity_type: EntityType;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly actor_id: string | null;
  readonly actor_type: 'application' | 'session' | 'system' | 'user';
  readonly key_id: string | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
  readonly containers: readonly string[] | null;
  readonly destination: string | null;
}

export function toAuditRow(actor: Actor, event: AuditEvent): AuditRow {
  const isSystem = actor === 'system';
  const key = isSystem || 'userId' in actor ? undefined : actor;
  return {
    entity_id: event.entityId,
    entity_type: event.entityType,
    operation: event.operation,
    outcome: event.outcome,
    actor_id: key?.session === undefined ? actorIdOf(actor) : key.keyId,
    actor_type: isSystem
      ? 'system'
      : key === undefined
        ? 'user'
        : key.session === undefined
          ? 'application'
          : 'session',
    key_id: key?.keyId ?? null,
    request_id: isSystem ? null : actor.requestId,
    source_address: isSystem ? null : actor.sourceAddress,
    containers: event.containers ?? null,
    destination: event.destination ?? null,
  };
}
