import { DomainError, type DomainErrorDetails } from '../errors/domain-error.ts';
import type { Grants, Transform } from './access-rule.ts';
import { type AccessTarget, decideAccess, decideAccessToEach, grantsAnywhere } from './decide-access.ts';
import type { Permission } from './permission.ts';

/** Returns the transform under which the caller may do this to the token; throws `forbidden` if it may not. */
export function requireAccess(grants: Grants, permission: Permission, target: AccessTarget): Transform {
  const decision = decideAccess(grants, permission, target);
  if (decision.isAllowed) return decision.transform;
  const { id, containers } = target;
  throw decision.reason === 'use-needs-reveal' ? useNeedsReveal(target) : missingPermission(permission, containers, id);
}

/** Works like `requireAccess` for each container separately, as needed to write a token into them. */
export function requireAccessToEach(grants: Grants, permission: Permission, target: AccessTarget): Transform {
  const decision = decideAccessToEach(grants, permission, target);
  if (decision.isAllowed) return decision.transform;
  throw missingPermission(permission, [decision.container], target.id);
}

/** Returns true if the permission is granted for any token. A route checks this before it reads a token. */
export function isGranted({ rules, limit }: Grants, permission: Permission): boolean {
  return grantsAnywhere(rules, permission) && (limit === undefined || grantsAnywhere(limit, permission));
}

export function missingPermission(
  permission: Permission,
  containers: readonly string[] = [],
  id?: string,
): DomainError {
  const where = containers.length === 0 ? '' : ` on container ${containers.join(', ')}`;
  return new DomainError('forbidden', `Missing permission: ${permission}${where}`, deniedDetails(containers, id));
}

/** Creates the error for a rule that grants `token:use` but would send masked data instead of plaintext. */
function useNeedsReveal({ id, containers }: AccessTarget): DomainError {
  const advice = 'token:use sends plaintext, so grant it in its own rule with that transform.';
  const message = `Missing permission: token:use with the transform reveal on container ${containers.join(', ')}. ${advice}`;
  return new DomainError('forbidden', message, deniedDetails(containers, id));
}

/** Returns the details about the target that go into the audit record of a denial. */
export function deniedDetails(containers: readonly string[], id: string | undefined): DomainErrorDetails {
  return id === undefined ? {} : { denied: { id, containers } };
}
