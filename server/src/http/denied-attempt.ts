import type { FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import type { Caller } from '../core/identity/caller.ts';
import { isUuid } from '../core/identity/ids.ts';
import { findCaller } from './authentication.ts';
import { type AuditEvent, type EntityType, noSingleEntity, type Operation } from '../platform/audit/audit-event.ts';

/** Where denied attempts are recorded. */
export interface DenialLog {
  append(caller: Caller, event: AuditEvent): Promise<void>;
}

/**
 * Records that a valid key was denied access. The record is durable before the response; if it cannot be written, the
 * caller gets that error instead.
 */
export async function recordDenial(thrown: unknown, request: FastifyRequest, log: DenialLog): Promise<unknown> {
  const isDenial = thrown instanceof DomainError && thrown.code === 'forbidden' && !thrown.isRecorded;
  const caller = findCaller(request);
  if (!isDenial || caller === undefined) return thrown;
  try {
    await log.append(caller, toDeniedEvent(request, thrown));
    return thrown;
  } catch (failure) {
    return failure;
  }
}

function toDeniedEvent(request: FastifyRequest, { denied }: DomainError): AuditEvent {
  const { permission = 'any-key', entityType = 'application' } = request.routeOptions.config;
  const isNamed = permission !== 'any-key' && permission !== 'public';
  return {
    entityType: isNamed ? entityOf(permission) : entityType,
    entityId: denied?.id ?? namedUuid(request) ?? noSingleEntity,
    operation: isNamed ? operationOf(permission) : operationByMethod(request.method),
    outcome: 'denied',
    ...(denied === undefined ? {} : { containers: denied.containers }),
  };
}

/** `tenant:member:read` is about a member, `tenant:read` about the tenant. */
function entityOf(permission: string): EntityType {
  if (permission === 'token:use') return 'proxy';
  const [subject = '', part] = permission.split(':');
  if (subject === 'tenant') return part === 'member' || part === 'invitation' ? part : 'tenant';
  return subject === 'application' || subject === 'log' ? subject : 'token';
}

function operationOf(permission: string): Operation {
  const action = permission.slice(permission.lastIndexOf(':') + 1);
  if (action === 'use') return 'invoke';
  return action === 'create' || action === 'update' || action === 'delete' ? action : 'read';
}

function operationByMethod(method: string): Operation {
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'delete';
  return method === 'PUT' || method === 'PATCH' ? 'update' : 'read';
}

/** The id in the path, if it can only be an id: any other text could be a sensitive value. */
function namedUuid(request: FastifyRequest): string | undefined {
  const { id } = (request.params ?? {}) as { readonly id?: string };
  return id !== undefined && isUuid(id) ? id : undefined;
}
