import type { SessionOrigin } from '../identity/caller.ts';
import { isUuid } from '../identity/ids.ts';
import type { AccessCondition, AccessRule } from '../access/access-rule.ts';
import type { GrantLimit } from '../access/grant-limit.ts';
import type { ApplicationType, Permission } from '../access/permission.ts';

/**
 * The rights of an application or a session. A session has no type, destinations, list of origins or grant limit of its
 * own.
 */
export interface Rights {
  readonly type?: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt?: Date | null | undefined;
  readonly allowedDestinations?: readonly string[] | null;
  readonly allowedOrigins?: readonly string[] | null;
  readonly grantLimit?: GrantLimit | null;
  /** The only origin that the session can be used from. */
  readonly origin?: SessionOrigin | null | undefined;
}

/** Returns a text that is the same for the same rights in any order. Names and descriptions are not rights. */
export function toCanonicalRights(rights: Rights): string {
  const {
    type = null,
    permissions,
    rules,
    expiresAt,
    allowedDestinations,
    allowedOrigins,
    grantLimit,
    origin,
  } = rights;
  return JSON.stringify({
    type,
    permissions: permissions.toSorted(),
    rules: rules.toSorted((a, b) => a.priority - b.priority).map(toCanonicalRule),
    expires_at: expiresAt?.toISOString() ?? null,
    allowed_destinations: allowedDestinations?.toSorted() ?? null,
    grant_limit:
      grantLimit === null || grantLimit === undefined
        ? null
        : {
            permissions: grantLimit.permissions.toSorted(),
            containers: grantLimit.containers.toSorted(),
            transform: grantLimit.transform,
          },
    // This is only added if there is a list, so that older rights keep the digest they had before lists existed.
    ...(allowedOrigins === null || allowedOrigins === undefined ? {} : { allowed_origins: allowedOrigins.toSorted() }),
    ...(origin === null || origin === undefined ? {} : { origin }),
  });
}

/**
 * Lists what was added and removed, one line each. Undefined means that the application or session does not exist yet,
 * or no longer does.
 */
export function listRightsChanges(before: Rights | undefined, after: Rights | undefined): string[] {
  return findRightsChanges(before, after).map(toChangeLine);
}

/** A right that was added or removed. */
export interface RightsChange {
  readonly right: Right;
  readonly change: 'added' | 'removed';
}

/** Returns the changes that `listRightsChanges` has a line for, in the same order. */
export function findRightsChanges(before: Rights | undefined, after: Rights | undefined): RightsChange[] {
  const old = before === undefined ? [] : linesOf(before);
  const fresh = after === undefined ? [] : linesOf(after);
  return [
    ...without(old, fresh).map((right) => ({ right, change: 'removed' as const })),
    ...without(fresh, old).map((right) => ({ right, change: 'added' as const })),
  ];
}

export function toChangeLine({ right, change }: RightsChange): string {
  return `${right.kind} ${change}: ${right.text}`;
}

interface Right {
  readonly kind:
    | 'permission'
    | 'rule'
    | 'grant limit'
    | 'destination'
    | 'limit of destinations'
    | 'origin'
    | 'limit of origins'
    | 'expiry';
  readonly text: string;
  /** The permission, rule or grant limit itself. */
  readonly gives?: Partial<Pick<Rights, 'permissions' | 'rules' | 'grantLimit'>>;
}

function linesOf(rights: Rights): Right[] {
  const { permissions, rules, expiresAt, allowedDestinations, allowedOrigins, grantLimit, origin } = rights;
  const list = (kind: Right['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  return [
    ...permissions.toSorted().map((one) => ({ kind: 'permission' as const, text: one, gives: { permissions: [one] } })),
    ...rules
      .toSorted((a, b) => a.priority - b.priority)
      .map((rule) => ({ kind: 'rule' as const, text: toRuleText(rule), gives: { rules: [rule] } })),
    ...(grantLimit === null || grantLimit === undefined
      ? []
      : [{ kind: 'grant limit' as const, text: toLimitText(grantLimit), gives: { grantLimit } }]),
    ...list('limit of destinations', toLimitOf(allowedDestinations)),
    ...list('destination', allowedDestinations?.toSorted() ?? []),
    ...list('limit of origins', toLimitOf(allowedOrigins)),
    ...list('origin', allowedOrigins?.toSorted() ?? []),
    ...list('origin', origin === null || origin === undefined ? [] : [origin]),
    ...list('expiry', expiresAt === null || expiresAt === undefined ? [] : [expiresAt.toISOString()]),
  ];
}

/** Returns an entry if there is a list, because no list and an empty list mean opposite things. */
function toLimitOf(entries: readonly string[] | null | undefined): string[] {
  return entries === null || entries === undefined ? [] : ['to a list'];
}

function without(rights: readonly Right[], others: readonly Right[]): Right[] {
  return rights.filter(({ kind, text }) => !others.some((other) => other.kind === kind && other.text === text));
}

/** Returns text such as `/pci/ reveal token:read, token:search (priority 1)`. */
function toRuleText({ container, conditions, transform, permissions, priority }: AccessRule): string {
  const place = container ?? (conditions ?? []).map(toConditionText).join(' and ');
  return `${place} ${transform} ${permissions.toSorted().join(', ')} (priority ${priority})`;
}

/** Hides ids that are not UUIDs, because an id chosen by a caller may be a value. A container is only a name. */
function toConditionText({ attribute, operator, value }: AccessCondition): string {
  return `${attribute} ${operator} ${attribute === 'container' || isUuid(value) ? value : '*'}`;
}

function toLimitText({ permissions, containers, transform }: GrantLimit): string {
  return `${containers.toSorted().join(', ')} ${transform} ${permissions.toSorted().join(', ')}`;
}

function toCanonicalRule({ priority, container, conditions, transform, permissions }: AccessRule): object {
  const met = conditions?.map(({ attribute, operator, value }) => ({ attribute, operator, value })) ?? null;
  return { priority, container: container ?? null, conditions: met, transform, permissions: permissions.toSorted() };
}
