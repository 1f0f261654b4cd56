import { type AccessRule, leastTransform, type Transform } from './access-rule.ts';
import { isCovered, rootContainer } from './container.ts';
import type { Permission } from './permission.ts';

export type AccessDecision =
  | { readonly isAllowed: true; readonly transform: Transform }
  | { readonly isAllowed: false; readonly reason: 'permission-not-granted' | 'container-not-covered' };

/**
 * The rules of an application in the order in which they are asked. Plain permissions are a last rule on the root:
 * they show masked data, except that `token:use` means the plaintext.
 */
export function toGrants(permissions: readonly Permission[], rules: readonly AccessRule[]): AccessRule[] {
  const plain = (name: string, granted: readonly Permission[], transform: Transform): AccessRule[] =>
    granted.length === 0
      ? []
      : [
          {
            description: name,
            priority: Number.MAX_SAFE_INTEGER,
            container: rootContainer,
            transform,
            permissions: granted,
          },
        ];
  const using = permissions.filter((permission) => permission === 'token:use');
  const others = permissions.filter((permission) => permission !== 'token:use');
  return [
    ...rules.toSorted((a, b) => a.priority - b.priority),
    ...plain('plain permissions', others, 'mask'),
    ...plain('plain token:use', using, 'reveal'),
  ];
}

/** The first rule that grants the permission and covers one of the containers decides; without one nothing is allowed. */
export function decideAccess(
  grants: readonly AccessRule[],
  permission: Permission,
  containers: readonly string[],
): AccessDecision {
  const granting = grants.filter((rule) => rule.permissions.includes(permission));
  if (granting.length === 0) return { isAllowed: false, reason: 'permission-not-granted' };

  const deciding = granting.find((rule) => containers.some((container) => isCovered(container, rule.container)));
  if (deciding === undefined) return { isAllowed: false, reason: 'container-not-covered' };
  return { isAllowed: true, transform: deciding.transform };
}

/** For writing into containers: each one needs its own grant, and the least of their transforms applies. */
export function decideAccessToEach(
  grants: readonly AccessRule[],
  permission: Permission,
  containers: readonly string[],
): AccessDecision & { readonly container?: string } {
  let transform: Transform = 'reveal';
  for (const container of containers) {
    const decision = decideAccess(grants, permission, [container]);
    if (!decision.isAllowed) return { ...decision, container };
    transform = leastTransform(transform, decision.transform);
  }
  return { isAllowed: true, transform };
}
