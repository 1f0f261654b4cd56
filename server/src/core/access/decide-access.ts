import { type AccessCondition, type AccessRule, type Grants, leastTransform, type Transform } from './access-rule.ts';
import { isCovered, rootContainer } from './container.ts';
import type { Permission } from './permission.ts';
import { DomainError, type DomainErrorDetails } from '../errors/domain-error.ts';

/** The token that an operation acts on. A token that does not exist yet may have no id. */
export interface AccessTarget {
  readonly id?: string;
  readonly containers: readonly string[];
}

export type DenialReason =
  | 'permission-not-granted'
  | 'no-rule-covers-target'
  | 'authorizer-lacks-permission'
  | 'authorizer-does-not-cover-target'
  | 'use-needs-reveal';

export type AccessDecision =
  | {
      readonly isAllowed: true;
      readonly transform: Transform;
      readonly rule: AccessRule;
      readonly limitingRule?: AccessRule;
    }
  | { readonly isAllowed: false; readonly reason: DenialReason };

/** A priority that sorts after that of any rule that a caller can write. */
const plainPriority = Number.MAX_SAFE_INTEGER;

/** Returns true if a rule represents plain permissions. */
export function isPlainPermission(rule: AccessRule): boolean {
  return rule.priority === plainPriority;
}

/**
 * Returns the rules of an application in the order in which they are checked. Plain permissions become a last rule on
 * the root. They show masked data, except that `token:use` means plaintext.
 */
export function toRules(permissions: readonly Permission[], rules: readonly AccessRule[]): AccessRule[] {
  const plain = (description: string, granted: readonly Permission[], transform: Transform): AccessRule[] =>
    granted.length === 0
      ? []
      : [{ description, priority: plainPriority, container: rootContainer, transform, permissions: granted }];
  const using = permissions.filter((permission) => permission === 'token:use');
  const others = permissions.filter((permission) => permission !== 'token:use');
  return [
    ...rules.toSorted((a, b) => a.priority - b.priority),
    ...plain('plain permissions', others, 'mask'),
    ...plain('plain token:use', using, 'reveal'),
  ];
}

/**
 * Decides access by the first rule that grants the permission and covers the target. If there is none, access is
 * denied. A session needs such a rule both among its own rules and among those of its authorizer. The transform that
 * shows less then applies. `token:use` means plaintext: a rule with another transform, stored before such rules were
 * rejected, does not allow use at all.
 */
export function decideAccess(grants: Grants, permission: Permission, target: AccessTarget): AccessDecision {
  const own = findRule(grants.rules, permission, target);
  if (own === undefined) {
    return {
      isAllowed: false,
      reason: grantsAnywhere(grants.rules, permission) ? 'no-rule-covers-target' : 'permission-not-granted',
    };
  }
  if (grants.limit === undefined) return allowed(permission, { transform: own.transform, rule: own });

  const limit = findRule(grants.limit, permission, target);
  if (limit === undefined) {
    const reason = grantsAnywhere(grants.limit, permission)
      ? 'authorizer-does-not-cover-target'
      : 'authorizer-lacks-permission';
    return { isAllowed: false, reason };
  }
  const transform = leastTransform(own.transform, limit.transform);
  return allowed(permission, { transform, rule: own, limitingRule: limit });
}

/**
 * Returns the transform that `decideAccess` would return for every token, whatever its containers. Returns undefined if
 * it must be decided for each token, or if nothing is allowed.
 */
export function findCommonTransform(
  { rules, limit }: Grants,
  permission: Exclude<Permission, 'token:use'>,
): Transform | undefined {
  const own = findTransformOfAll(rules, permission);
  if (own === undefined || limit === undefined) return own;
  const limiting = findTransformOfAll(limit, permission);
  return limiting === undefined ? undefined : leastTransform(own, limiting);
}

/**
 * Returns true if a rule could redact some token. It does not check whether an earlier rule covers all of these tokens.
 */
export function redactsAny({ rules, limit = [] }: Grants, permission: Permission): boolean {
  return [...rules, ...limit].some((rule) => rule.transform === 'redact' && rule.permissions.includes(permission));
}

/**
 * Returns the transform of the first rule that grants the permission, if that rule is on the root and so covers every
 * token.
 */
function findTransformOfAll(rules: readonly AccessRule[], permission: Permission): Transform | undefined {
  const first = rules.find((rule) => rule.permissions.includes(permission));
  return first?.container === rootContainer ? first.transform : undefined;
}

function allowed(
  permission: Permission,
  grant: { readonly transform: Transform; readonly rule: AccessRule; readonly limitingRule?: AccessRule },
): AccessDecision {
  if (permission === 'token:use' && grant.transform !== 'reveal')
    return { isAllowed: false, reason: 'use-needs-reveal' };
  return { isAllowed: true, ...grant };
}

/** Decides on writing into containers. Each one needs its own grant, and the least of their transforms applies. */
export function decideAccessToEach(
  grants: Grants,
  permission: Permission,
  target: AccessTarget,
):
  | { readonly isAllowed: true; readonly transform: Transform }
  | { readonly isAllowed: false; readonly container: string } {
  let transform: Transform = 'reveal';
  for (const container of target.containers) {
    const decision = decideAccess(grants, permission, { ...target, containers: [container] });
    if (!decision.isAllowed) return { isAllowed: false, container };
    transform = leastTransform(transform, decision.transform);
  }
  return { isAllowed: true, transform };
}

export function grantsAnywhere(rules: readonly AccessRule[], permission: Permission): boolean {
  return rules.some((rule) => rule.permissions.includes(permission));
}

function findRule(rules: readonly AccessRule[], permission: Permission, target: AccessTarget): AccessRule | undefined {
  return rules.find((rule) => rule.permissions.includes(permission) && coversTarget(rule, target));
}

/**
 * Returns true if the rule covers the target. A rule with neither a container nor conditions covers nothing, because
 * omitting something must not grant access.
 */
function coversTarget({ container, conditions = [] }: AccessRule, target: AccessTarget): boolean {
  if (container !== undefined) return target.containers.some((path) => isCovered(path, container));
  return conditions.length > 0 && conditions.every((condition) => isMet(condition, target));
}

function isMet({ attribute, operator, value }: AccessCondition, { id, containers }: AccessTarget): boolean {
  const values = attribute === 'container' ? containers : id === undefined ? [] : [id];
  return values.some((text) => (operator === 'equals' ? text === value : text.startsWith(value)));
}

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
