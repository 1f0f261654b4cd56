import { DomainError } from '../errors/domain-error.ts';
import type { Grants, Transform } from './access-rule.ts';
import { type AccessTarget, decideAccess, decideAccessToEach, grantsAnywhere } from './decide-access.ts';
import type { Permission } from './permission.ts';

/** The transform under which the caller may do this to the token; throws forbidden otherwise. */
export function requireAccess(grants: Grants, permission: Permission, target: AccessTarget): Transform {
  const decision = decideAccess(grants, permission, target);
  if (decision.isAllowed) return decision.transform;
  throw missingPermission(permission, target.containers, target.id);
}

/** As `requireAccess`, for every container on its own: what writing a token into them needs. */
export function requireAccessToEach(grants: Grants, permission: Permission, target: AccessTarget): Transform {
  const decision = decideAccessToEach(grants, permission, target);
  if (decision.isAllowed) return decision.transform;
  throw missingPermission(permission, [decision.container], target.id);
}

/** Whether the permission is granted at all: the question a route asks before it looks at a token. */
export function isGranted({ rules, limit }: Grants, permission: Permission): boolean {
  return grantsAnywhere(rules, permission) && (limit === undefined || grantsAnywhere(limit, permission));
}

export function missingPermission(
  permission: Permission,
  containers: readonly string[] = [],
  id?: string,
): DomainError {
  const place = containers.length === 0 ? '' : ` on container ${containers.join(', ')}`;
  const details = id === undefined ? {} : { denied: { id, containers } };
  return new DomainError('forbidden', `Missing permission: ${permission}${place}`, details);
}
