import { findExcess, type HeldRights } from '../../core/access/grant-limit.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Application } from './application.ts';

/** Throws if a limited application grants more than its limit allows. */
export function requireWithinLimit({ grantLimit }: Caller, rights: HeldRights): void {
  const excess = grantLimit === undefined ? undefined : findExcess(grantLimit, rights);
  if (excess === undefined) return;
  throw new DomainError('forbidden', `Exceeds the grant_limit of the calling application: ${excess}`);
}

/**
 * A limited application manages only what is within its limit: it can neither create a key of a larger application nor revoke
 * one. Its own keys are exempt, because they give it nothing new.
 */
export function requireManageable(caller: Caller, application: Application): void {
  const isOwn = 'applicationId' in caller && application.id === caller.applicationId;
  if (!isOwn) requireWithinLimit(caller, application);
}
