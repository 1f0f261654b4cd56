import { type AccessCondition, type AccessRule, type Transform, transforms } from './access-rule.ts';
import { finish, type Steps } from '../steps/steps.ts';
import { isCovered, rootContainer } from './container.ts';
import type { Permission } from './permission.ts';

/** Access that is wanted but not held. The holder lacks the permission, the container, or the transform. */
export interface Excess {
  readonly rule: AccessRule;
  readonly permission: Permission;
  readonly lacks: 'permission' | 'container' | { readonly shownAs: Transform; readonly by: AccessRule };
}

/**
 * Returns the first access in `wanted` that `held` does not provably contain. Returns undefined if `held` would make
 * each decision of `wanted` too, with the same transform or one that shows more. The rules must be in the order in
 * which they are checked. It may report an excess that does not exist, but never misses one. `isOfInterest` restricts
 * which access is compared.
 */
export function findExcess(
  wanted: readonly AccessRule[],
  held: readonly AccessRule[],
  isOfInterest?: IsOfInterest,
): Excess | undefined {
  return finish(findExcessSteps(wanted, held, isOfInterest));
}

type IsOfInterest = (rule: AccessRule, permission: Permission) => boolean;

/**
 * Works like `findExcess`, but pauses after each permission of a rule, because callers can write rules with many
 * conditions.
 */
export function* findExcessSteps(
  wanted: readonly AccessRule[],
  held: readonly AccessRule[],
  isOfInterest: IsOfInterest = () => true,
): Steps<Excess | undefined> {
  const grants = new Map<Permission, readonly Grant[]>();
  for (const [index, rule] of wanted.entries()) {
    for (const permission of rule.permissions.filter((one) => isOfInterest(rule, one))) {
      const granting = grants.get(permission) ?? listGrants(permission, wanted, held);
      grants.set(permission, granting);
      const lacks = findLack({ rule, index }, granting);
      if (lacks !== undefined) return { rule, permission, lacks };
      yield;
    }
  }
  return undefined;
}

/** A held rule that grants a permission. */
interface Grant {
  readonly rule: AccessRule;
  /** The index of the first wanted rule that decides for all tokens of this rule; past the end if none does. */
  readonly decidedFrom: number;
}

/**
 * Compares rules once for each permission. Comparing them again for each wanted rule took more than a second for a
 * hundred rules.
 */
function listGrants(permission: Permission, wanted: readonly AccessRule[], held: readonly AccessRule[]): Grant[] {
  const grantsIt = ({ permissions }: AccessRule) => permissions.includes(permission);
  return held.filter(grantsIt).map((rule) => {
    const first = wanted.findIndex((other) => grantsIt(other) && contains(other, rule));
    return { rule, decidedFrom: first < 0 ? wanted.length : first };
  });
}

function findLack(
  { rule, index }: { rule: AccessRule; index: number },
  granting: readonly Grant[],
): Excess['lacks'] | undefined {
  if (granting.length === 0) return 'permission';
  for (const { rule: grant, decidedFrom } of granting) {
    // Tokens that an earlier wanted rule covers are decided by that rule.
    const isDecidedEarlier = decidedFrom < index;
    // A token can be in several containers, so any two rules on containers may cover the same token. Disjoint
    // containers prove nothing.
    if (!isDecidedEarlier && showsLess(grant.transform, rule.transform)) return { shownAs: grant.transform, by: grant };
    if (contains(grant, rule)) return undefined;
  }
  return 'container';
}

function showsLess(a: Transform, b: Transform): boolean {
  return transforms.indexOf(a) < transforms.indexOf(b);
}

/** Returns true if the outer rule provably covers every token that the inner one covers. */
function contains(outer: AccessRule, inner: AccessRule): boolean {
  if (outer.container !== undefined) return isWithin(inner, outer.container);
  const { conditions = [] } = outer;
  const demands = demandsOf(inner);
  return conditions.length > 0 && conditions.every((condition) => isImplied(condition, demands));
}

/**
 * Returns true if every token of the rule has a container below the path. One condition on containers below the path is
 * enough.
 */
function isWithin({ container, conditions = [] }: AccessRule, path: string): boolean {
  if (path === rootContainer) return true;
  if (container !== undefined) return isCovered(container, path);
  return conditions.some(({ attribute, value }) => attribute === 'container' && isCovered(value, path));
}

function demandsOf({ container, conditions = [] }: AccessRule): readonly AccessCondition[] {
  return container === undefined ? conditions : [{ attribute: 'container', operator: 'starts_with', value: container }];
}

function isImplied(outer: AccessCondition, demands: readonly AccessCondition[]): boolean {
  return demands.some(({ attribute, operator, value }) => {
    if (attribute !== outer.attribute) return false;
    return outer.operator === 'equals' ? operator === 'equals' && value === outer.value : value.startsWith(outer.value);
  });
}
