import type { FastifyRequest } from 'fastify';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { findCaller } from './authentication.ts';
import {
  type AuditDetails,
  type AuditEvent,
  type EntityType,
  noSingleEntity,
  type Operation,
  toMissDetails,
} from '../../platform/audit/record/audit-event.ts';

/** The log to which failed attempts are written. */
export interface AttemptLog {
  append(caller: Caller, event: AuditEvent): Promise<void>;
}

/**
 * Records what the refusal of a request with a valid key reveals: that access was denied, that something does not
 * exist, or that it exists. The record is durable before the caller gets the refusal. If it cannot be written, the
 * caller gets that failure instead.
 */
export async function recordFailedAttempt(thrown: unknown, request: FastifyRequest, log: AttemptLog): Promise<unknown> {
  const caller = findCaller(request);
  if (caller === undefined || !(thrown instanceof DomainError) || thrown.isRecorded) return thrown;
  const event = findEvent(request, thrown);
  if (event === undefined) return thrown;
  try {
    await log.append(caller, event);
    return thrown;
  } catch (failure) {
    return failure;
  }
}

/** Refusals of an identified caller. */
const denials: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'forbidden',
  'tenant-deleted',
  'sign-in-way-required',
  'awaiting-approval',
]);

function findEvent(request: FastifyRequest, { code, denied, missing, found }: DomainError): AuditEvent | undefined {
  if (denials.has(code)) {
    const containers = denied === undefined ? {} : { containers: denied.containers };
    return { ...subjectOf(request, denied?.id), outcome: 'denied', ...containers };
  }
  if (missing !== undefined) {
    const via: AuditDetails = request.isRepetition ? { via: 'replay' } : {};
    return { ...subjectOf(request, missing.id), outcome: 'missed', details: { ...via, ...toMissDetails(missing) } };
  }
  if (found === undefined) return undefined;
  return { ...subjectOf(request, found.id ?? noSingleEntity), outcome: 'failed', details: { found: 1 } };
}

/** Returns the subject of the request, as far as it follows from the route and the path. */
function subjectOf(request: FastifyRequest, id: string | undefined): Omit<AuditEvent, 'outcome'> {
  const { permission = 'any-key', ...config } = request.routeOptions.config;
  const isNamed = permission !== 'any-key' && permission !== 'public';
  const operation = isNamed ? operationOf(permission) : (config.operation ?? operationByMethod(request.method));
  return {
    entityType: config.entityType ?? (isNamed ? entityOf(permission) : 'application'),
    entityId: id ?? namedUuid(request) ?? noSingleEntity,
    operation: request.isRepetition ? 'read' : operation,
  };
}

/**
 * Returns the entity type of a permission: a member for `tenant:member:read`, the tenant for `tenant:read` and
 * `report:read`.
 */
function entityOf(permission: string): EntityType {
  if (permission === 'token:use') return 'proxy';
  const [subject = '', part] = permission.split(':');
  if (subject === 'tenant') return part === 'member' || part === 'invitation' ? part : 'tenant';
  if (subject === 'report') return 'tenant';
  if (subject === 'keys') return 'client_key';
  if (subject === 'token-intent') return 'token_intent';
  const named = ['application', 'log', 'proxy', 'session', 'webhook'] as const;
  return named.find((type) => type === subject) ?? 'token';
}

function operationOf(permission: string): Operation {
  const action = permission.slice(permission.lastIndexOf(':') + 1);
  if (action === 'use') return 'invoke';
  const named = ['create', 'update', 'delete', 'search'] as const;
  return named.find((operation) => operation === action) ?? 'read';
}

function operationByMethod(method: string): Operation {
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'delete';
  return method === 'PUT' || method === 'PATCH' ? 'update' : 'read';
}

/** Returns the id in the path if it is a UUID. Any other text could be a value that somebody put there. */
function namedUuid(request: FastifyRequest): string | undefined {
  const { id } = (request.params ?? {}) as { readonly id?: string };
  return id !== undefined && isUuid(id) ? id : undefined;
}
