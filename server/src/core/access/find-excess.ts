import { type AccessCondition, type AccessRule, type Transform, transforms } from './access-rule.ts';
import { isCovered, rootContainer } from './container.ts';
import type { Permission } from './permission.ts';

/** Access that is wanted but not held: the permission itself, the place, or the transform that the holder has there. */
export interface Excess {
  readonly rule: AccessRule;
  readonly permission: Permission;
  readonly lacks: 'permission' | 'container' | { readonly shownAs: Transform; readonly by: AccessRule };
}

/**
 * The first access in `wanted` that `held` does not provably contain; undefined if each decision by `wanted` is one that
 * `held` would make too, with the same transform or one that shows more. Both are in the order in which rules are checked.
 * It may report an excess that does not exist, but never misses one.
 */
export function findExcess(wanted: readonly AccessRule[], held: readonly AccessRule[]): Excess | undefined {
  for (const [index, rule] of wanted.entries()) {
    for (const permission of rule.permissions) {
      const earlier = wanted.slice(0, index).filter(({ permissions }) => permissions.includes(permission));
      const lacks = findLack({ rule, permission, earlier }, held);
      if (lacks !== undefined) return { rule, permission, lacks };
    }
  }
  return undefined;
}

function findLack(
  { rule, permission, earlier }: { rule: AccessRule; permission: Permission; earlier: readonly AccessRule[] },
  held: readonly AccessRule[],
): Excess['lacks'] | undefined {
  const granting = held.filter(({ permissions }) => permissions.includes(permission));
  if (granting.length === 0) return 'permission';
  for (const grant of granting) {
    // Tokens that an earlier wanted rule covers are decided by that rule.
    const isDecidedEarlier = earlier.some((other) => contains(other, grant));
    // A token can be in several containers, so two rules on containers can always meet: disjoint places prove nothing.
    if (!isDecidedEarlier && showsLess(grant.transform, rule.transform)) return { shownAs: grant.transform, by: grant };
    if (contains(grant, rule)) return undefined;
  }
  return 'container';
}

function showsLess(a: Transform, b: Transform): boolean {
  return transforms.indexOf(a) < transforms.indexOf(b);
}

/** Whether every token that the inner rule covers is provably covered by the outer one. */
function contains(outer: AccessRule, inner: AccessRule): boolean {
  if (outer.container !== undefined) return isWithin(inner, outer.container);
  const { conditions = [] } = outer;
  return conditions.length > 0 && conditions.every((condition) => isImplied(condition, inner));
}

/** One condition on containers below the path is enough: any token that meets it has a container below the path. */
function isWithin({ container, conditions = [] }: AccessRule, path: string): boolean {
  if (path === rootContainer) return true;
  if (container !== undefined) return isCovered(container, path);
  return conditions.some(({ attribute, value }) => attribute === 'container' && isCovered(value, path));
}

function isImplied(outer: AccessCondition, { container, conditions = [] }: AccessRule): boolean {
  const demands: readonly AccessCondition[] =
    container === undefined ? conditions : [{ attribute: 'container', operator: 'starts_with', value: container }];
  return demands.some(({ attribute, operator, value }) => {
    if (attribute !== outer.attribute) return false;
    return outer.operator === 'equals' ? operator === 'equals' && value === outer.value : value.startsWith(outer.value);
  });
}
