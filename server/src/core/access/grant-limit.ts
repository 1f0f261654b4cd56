import { type AccessRule, isMoreThan, type Transform } from './access-rule.ts';
import { isCovered } from './container.ts';
import { grantsAnywhere, isPlainPermission, toRules } from './decide-access.ts';
import type { ApplicationType, Permission } from './permission.ts';

/** The most that a management application may grant: these permissions, on these containers, through this transform. */
export interface GrantLimit {
  readonly permissions: readonly Permission[];
  readonly containers: readonly string[];
  readonly transform: Transform;
}

/** The rights that an application has, or would have. */
export interface HeldRights {
  readonly type: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  /** Null if there is no limit on what the application itself can grant. */
  readonly grantLimit: GrantLimit | null;
}

/** Stored proxies lend the rights of an application to their callers, so they are a way to grant rights. */
const granting = [
  'application:create',
  'application:update',
  'proxy:create',
  'proxy:update',
] as const satisfies readonly Permission[];

/**
 * Returns true if an application can grant permissions to others, by creating or changing applications, keys or stored
 * proxies.
 */
export function handsOutRights({ permissions, rules }: Pick<HeldRights, 'permissions' | 'rules'>): boolean {
  const granted = toRules(permissions, rules);
  return granting.some((permission) => grantsAnywhere(granted, permission));
}

/** Returns the name of something granted beyond the limit; undefined if everything is within it. */
export function findExcess(limit: GrantLimit, held: HeldRights): string | undefined {
  for (const rule of toRules(held.permissions, held.rules)) {
    for (const permission of rule.permissions) {
      const excess = findExcessOf(limit, { rule, permission, type: held.type });
      if (excess !== undefined) return excess;
    }
  }
  return handsOutRights(held) ? findWider(limit, held.grantLimit) : undefined;
}

function findExcessOf(
  limit: GrantLimit,
  { rule, permission, type }: { rule: AccessRule; permission: Permission; type: ApplicationType },
): string | undefined {
  if (!limit.permissions.includes(permission)) return `permission ${permission}`;
  // Containers and transforms apply to tokens and token intents. The other permissions apply to the whole tenant.
  if (!permission.startsWith('token')) return undefined;
  const { container } = rule;
  if (container === undefined) return `a rule for ${permission} without a container`;
  if (!isWithin(limit, container)) return `container ${container} for ${permission}`;
  const transform = shownBy(rule, permission, type);
  return isMoreThan(transform, limit.transform) ? `transform ${transform} for ${permission}` : undefined;
}

/**
 * Returns the effective transform of a grant, which may differ from that of its rule. `token:use` sends plaintext out,
 * whatever the rule shows. A private application with plain `token:update` may put any view of the data into a mask.
 */
function shownBy(rule: AccessRule, permission: Permission, type: ApplicationType): Transform {
  const isAuthor = permission === 'token:update' && type === 'private' && isPlainPermission(rule);
  return permission === 'token:use' || isAuthor ? 'reveal' : rule.transform;
}

/**
 * Returns the name of something that `other` allows beyond `limit`. This check keeps an application from exceeding its
 * limit by granting the right to grant.
 */
export function findWider(limit: GrantLimit, other: GrantLimit | null): string | undefined {
  if (other === null) return 'an application that can grant permissions but has no grant_limit';
  const permission = other.permissions.find((one) => !limit.permissions.includes(one));
  if (permission !== undefined) return `permission ${permission} in grant_limit`;
  const container = other.containers.find((one) => !isWithin(limit, one));
  if (container !== undefined) return `container ${container} in grant_limit`;
  return isMoreThan(other.transform, limit.transform) ? `transform ${other.transform} in grant_limit` : undefined;
}

function isWithin({ containers }: GrantLimit, container: string): boolean {
  return containers.some((path) => isCovered(container, path));
}
