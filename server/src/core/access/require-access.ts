import { DomainError } from '../errors/domain-error.ts';
import type { AccessRule, Transform } from './access-rule.ts';
import { decideAccess, decideAccessToEach } from './decide-access.ts';
import type { Permission } from './permission.ts';

/** The transform under which the caller may do this to a token in these containers; throws forbidden otherwise. */
export function requireAccess(
  grants: readonly AccessRule[],
  permission: Permission,
  containers: readonly string[],
): Transform {
  const decision = decideAccess(grants, permission, containers);
  if (decision.isAllowed) return decision.transform;
  throw missingPermission(permission, containers);
}

/** As `requireAccess`, for every container on its own: what writing a token into them needs. */
export function requireAccessToEach(
  grants: readonly AccessRule[],
  permission: Permission,
  containers: readonly string[],
): Transform {
  const decision = decideAccessToEach(grants, permission, containers);
  if (decision.isAllowed) return decision.transform;
  throw missingPermission(permission, decision.container === undefined ? containers : [decision.container]);
}

/** Whether any rule grants the permission at all: the question a route asks before it looks at a token. */
export function isGranted(grants: readonly AccessRule[], permission: Permission): boolean {
  return grants.some((rule) => rule.permissions.includes(permission));
}

export function missingPermission(permission: Permission, containers: readonly string[] = []): DomainError {
  const place = containers.length === 0 ? '' : ` on container ${containers.join(', ')}`;
  return new DomainError('forbidden', `Missing permission: ${permission}${place}`);
}
