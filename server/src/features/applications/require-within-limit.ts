import { findExcess, type HeldRights } from '../../core/access/grant-limit.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Application } from './application.ts';

/** Refuses to let a capped application give rights that lie beyond its limit. */
export function requireWithinLimit({ grantLimit }: Caller, rights: HeldRights): void {
  const excess = grantLimit === undefined ? undefined : findExcess(grantLimit, rights);
  if (excess === undefined) return;
  throw new DomainError('forbidden', `Exceeds the grant_limit of the calling application: ${excess}`);
}

/**
 * A capped application manages only what lies within its limit: it can neither get a key of something larger nor take
 * one away. Its own keys are its own business, as they give it nothing that it does not have.
 */
export function requireManageable(caller: Caller, application: Application): void {
  if (application.id !== caller.applicationId) requireWithinLimit(caller, application);
}
