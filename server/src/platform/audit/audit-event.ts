import type { Caller } from '../../core/identity/caller.ts';

export type EntityType =
  | 'application'
  | 'bank'
  | 'card'
  | 'invitation'
  | 'log'
  | 'member'
  | 'proxy'
  | 'session'
  | 'tenant'
  | 'token';
export type Operation = 'create' | 'read' | 'update' | 'delete' | 'invoke';
/** `intent` before a proxy call, then one of the others; `unknown` where the server died in between. */
export type Outcome = 'success' | 'denied' | 'intent' | 'failed' | 'unknown';

/** What happened to what. Only these fields are ever written: no value, no name, no text of a caller. */
export interface AuditEvent {
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly containers?: readonly string[];
  /** The host that a value was sent to, or should have been. */
  readonly destination?: string;
}

/** An event with its actor, in the shape of the columns that it is stored in. */
export interface AuditRow {
  readonly entity_id: string;
  readonly entity_type: EntityType;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly actor_id: string | null;
  readonly actor_type: 'application' | 'session' | 'system';
  readonly key_id: string | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
  readonly containers: readonly string[] | null;
  readonly destination: string | null;
}

export function toAuditRow(caller: Caller | 'system', event: AuditEvent): AuditRow {
  const isSystem = caller === 'system';
  return {
    entity_id: event.entityId,
    entity_type: event.entityType,
    operation: event.operation,
    outcome: event.outcome,
    actor_id: isSystem ? null : caller.session === undefined ? caller.applicationId : caller.keyId,
    actor_type: isSystem ? 'system' : caller.session === undefined ? 'application' : 'session',
    key_id: isSystem ? null : caller.keyId,
    request_id: isSystem ? null : caller.requestId,
    source_address: isSystem ? null : caller.sourceAddress,
    containers: event.containers ?? null,
    destination: event.destination ?? null,
  };
}
