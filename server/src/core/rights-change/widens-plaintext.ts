import type { AccessRule } from '../access/access-rule.ts';
import { grantsAnywhere, isPlainPermission, toRules } from '../access/decide-access.ts';
import { findExcess } from '../access/find-excess.ts';
import { findWider, type GrantLimit, handsOutRights } from '../access/grant-limit.ts';
import type { ApplicationType, Permission } from '../access/permission.ts';

/** The rights that an application has or would have, or that a role grants. */
export interface PlaintextRights {
  readonly type: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly grantLimit: GrantLimit | null;
  readonly expiresAt: Date | null;
  readonly allowedDestinations: readonly string[] | null;
}

/** Permissions whose use shows a token or sends it out. */
const showing: ReadonlySet<Permission> = new Set<Permission>([
  'token:read',
  'token:search',
  'token:update',
  'token:use',
]);
/**
 * The permissions that add members. Members approve exports, so anyone who adds members controls access to plaintext.
 */
const makingMembers: readonly Permission[] = ['tenant:invitation:create', 'tenant:member:update'];

/**
 * Returns true if `after` gives a way to plaintext that `before` does not provably give. Undefined stands for no rights
 * at all. It may report a gain that does not exist, but never misses one. A change for which it returns false needs no
 * approval.
 */
export function widensPlaintext(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  return (
    showsMore(before, after) ||
    movesMore(before, after) ||
    sendsFurther(before, after) ||
    handsOutMore(before, after) ||
    makesMembers(before, after) ||
    lastsLonger(before, after)
  );
}

/** Returns true if some token is shown as plaintext under a permission that did not show it before. */
function showsMore(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  const isPlaintext = (rule: AccessRule, permission: Permission) =>
    rule.transform === 'reveal' && showing.has(permission);
  return findExcess(toShownRules(after), toShownRules(before), isPlaintext) !== undefined;
}

/**
 * Returns the rules with what they really show. A plain `token:update` of a private application can define any view of
 * the data, so it shows plaintext regardless of its transform.
 */
function toShownRules(rights: PlaintextRights | undefined): AccessRule[] {
  return toOwnRules(rights).flatMap((rule) => {
    const isAuthor = rights?.type === 'private' && isPlainPermission(rule) && rule.permissions.includes('token:update');
    if (!isAuthor) return [rule];
    return [
      { ...rule, permissions: rule.permissions.filter((permission) => permission !== 'token:update') },
      { ...rule, permissions: ['token:update'], transform: 'reveal' },
    ];
  });
}

/**
 * Returns true if some token can be updated that could not be before. Anyone who updates tokens can move them to
 * containers where others see plaintext, and can define views in containers where they see the views themselves. It
 * therefore does not matter what the update shows.
 */
function movesMore(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  return findExcess(toMovingRules(after), toMovingRules(before)) !== undefined;
}

function toMovingRules(rights: PlaintextRights | undefined): AccessRule[] {
  return toOwnRules(rights)
    .filter(({ permissions }) => permissions.includes('token:update'))
    .map((rule) => ({ ...rule, permissions: ['token:update'], transform: 'reveal' }));
}

/** Returns true if plaintext can be sent to a new destination. */
function sendsFurther(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  if (before === undefined || !grantsAnywhere(toOwnRules(after), 'token:use')) return false;
  const { allowedDestinations: held } = before;
  if (held === null) return false;
  return after.allowedDestinations?.every((destination) => held.includes(destination)) !== true;
}

/** Returns true if applications created or changed by the holder of the rights could see more. */
function handsOutMore(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  if (!handsOutRights(after) || !reachesPlaintext(after.grantLimit)) return false;
  if (before === undefined || !handsOutRights(before)) return true;
  return before.grantLimit !== null && findWider(before.grantLimit, after.grantLimit) !== undefined;
}

function reachesPlaintext(limit: GrantLimit | null): boolean {
  if (limit === null || makingMembers.some((permission) => limit.permissions.includes(permission))) return true;
  return limit.transform === 'reveal' && limit.permissions.some((permission) => showing.has(permission));
}

function makesMembers(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  const held = toOwnRules(before);
  const wanted = toOwnRules(after);
  return makingMembers.some((permission) => grantsAnywhere(wanted, permission) && !grantsAnywhere(held, permission));
}

/** Returns true if an application that sees plaintext keeps that access for longer, or regains it. */
function lastsLonger(before: PlaintextRights | undefined, after: PlaintextRights): boolean {
  if (before === undefined || before.expiresAt === null) return false;
  const isLater = after.expiresAt === null || after.expiresAt > before.expiresAt;
  return isLater && widensPlaintext(undefined, after);
}

function toOwnRules(rights: PlaintextRights | undefined): AccessRule[] {
  return rights === undefined ? [] : toRules(rights.permissions, rights.rules);
}
