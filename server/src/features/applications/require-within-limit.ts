import { findExcess, type HeldRights } from '../../core/access/grant-limit.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Application } from './application.ts';

/** Throws if a limited application grants more than its limit allows. */
export function requireWithinLimit(caller: Caller, rights: HeldRights): void {
  const excess = findExcessOf(caller, rights);
  if (excess === undefined) return;
  throw new DomainError('forbidden', `Exceeds the grant_limit of the calling application: ${excess}`);
}

/**
 * Throws if a limited application manages an application that exceeds its limit. It can neither create nor revoke keys
 * of such an application. Its own keys are exempt because they give it nothing new.
 */
export function requireManageable(caller: Caller, application: Application): void {
  if (!isOwn(caller, application)) requireWithinLimit(caller, application);
}

export function isManageable(caller: Caller, application: Application): boolean {
  return isOwn(caller, application) || findExcessOf(caller, application) === undefined;
}

export function isOwn(caller: Caller, { id }: Application): boolean {
  return 'applicationId' in caller && id === caller.applicationId;
}

function findExcessOf({ grantLimit }: Caller, rights: HeldRights): string | undefined {
  return grantLimit === undefined ? undefined : findExcess(grantLimit, rights);
}
