import type { Identity } from '../identity/caller.ts';
import type { Steps } from '../steps/steps.ts';
import {
  type AccessCondition,
  type AccessRule,
  type Grants,
  leastTransform,
  mostTransform,
  type Transform,
} from '../access/access-rule.ts';
import { isCovered } from '../access/container.ts';
import { type AccessTarget, decideAccess, grantsAnywhere } from '../access/decide-access.ts';
import type { GrantLimit } from '../access/grant-limit.ts';
import type { Permission } from '../access/permission.ts';
import { findNamedBeside, mostShownBeside, placesOf, type SharedContainers } from '../access/shared-containers.ts';
import { mayAuthorViews } from './view-authorship.ts';

/** Permissions whose use shows a token or sends it out. */
const showing = ['token:read', 'token:search', 'token:update', 'token:use'] as const satisfies readonly Permission[];

/** The ways in which somebody can see a token: directly through a permission, or indirectly. */
export const sightWays = [
  ...showing,
  /** Defines a mask, search index or fingerprint expression over the data. */
  'authoring-views',
  /** Creates or changes applications. */
  'handing-out-rights',
  /** Adds members, who see tokens in the portal and approve exports. */
  'making-members',
  /** Approves exports. */
  'approving-exports',
  /** Becomes a member. */
  'accepting-an-invitation',
] as const;
export type SightWay = (typeof sightWays)[number];

/** The most that somebody can see of a token, and each way to see it. */
export interface Sight {
  readonly transform: Transform;
  readonly ways: readonly { readonly way: SightWay; readonly transform: Transform }[];
}

/** The holder of the rights that are examined. */
export type SightHolder = Pick<Identity, 'grants' | 'applicationType' | 'grantLimit' | 'session'>;

/** Returns undefined if the holder has no way to see the token. */
export function findSight(holder: SightHolder, target: AccessTarget): Sight | undefined {
  return toSight([
    ...showing.flatMap((permission) => {
      const decision = decideAccess(holder.grants, permission, target);
      return toWays(permission, decision.isAllowed ? decision.transform : undefined);
    }),
    ...toWays('authoring-views', mayAuthorViews(holder, target) ? 'reveal' : undefined),
    ...toWays('handing-out-rights', findHandedOut(holder, target)),
    ...toWays('making-members', grantsAny(holder, makingMembers) ? 'reveal' : undefined),
  ]);
}

/**
 * Returns the most that the holder can see, in each way, of any token in the container or below. It misses no way: a
 * rule for one id might cover such a token, and so might a rule on another container that the token is also in.
 * `shared` lists those containers. Each container is compared with each rule, so there is one step per container.
 */
export function* findSightWithin(
  holder: SightHolder,
  container: string,
  shared: SharedContainers,
): Steps<Sight | undefined> {
  const ways: Sight['ways'][number][] = [];
  for (const place of placesWithin(holder, container)) {
    ways.push(
      ...waysAt(holder, [place], (permission) => mostShown(holder.grants, permission, place)),
      ...toWays('making-members', grantsAny(holder, makingMembers) ? 'reveal' : undefined),
    );
    yield;
  }
  const others = findNamedBeside(holder.grants, holder.grantLimit?.containers ?? [], { container, shared });
  if (others.size > 0) {
    const beside = { container, others };
    ways.push(
      ...waysAt(holder, [container, ...others], (permission) => mostShownBeside(holder.grants, permission, beside)),
    );
    yield;
  }
  return toSight(
    sightWays.flatMap((name) =>
      toWays(name, mostTransform(ways.filter(({ way }) => way === name).map((way) => way.transform))),
    ),
  );
}

/** Returns the ways to see tokens in these containers, given the most that each permission shows there. */
function waysAt(
  holder: SightHolder,
  containers: readonly string[],
  mostOf: (permission: Permission) => Transform | undefined,
): Sight['ways'] {
  const shown = new Map(showing.map((permission) => [permission, mostOf(permission)]));
  const isAuthor =
    shown.get('token:update') === 'reveal' ||
    (shown.get('token:update') !== undefined && shown.get('token:read') === 'reveal') ||
    mayAuthorViews(holder, { containers });
  return [
    ...showing.flatMap((permission) => toWays(permission, shown.get(permission))),
    ...toWays('authoring-views', isAuthor ? 'reveal' : undefined),
    ...toWays('handing-out-rights', findHandedOut(holder, { containers })),
  ];
}

function toSight(ways: Sight['ways']): Sight | undefined {
  const transform = mostTransform(ways.map((way) => way.transform));
  return transform === undefined ? undefined : { transform, ways };
}

/**
 * Returns the container and those below it that a rule names. In every other container below, the holder sees the same.
 */
function placesWithin({ grants, grantLimit }: SightHolder, container: string): string[] {
  const named = [...grants.rules, ...(grants.limit ?? [])].flatMap(placesOf);
  const below = [...named, ...(grantLimit?.containers ?? [])].filter((path) => isCovered(path, container));
  const places = [...new Set([container, ...below])];
  // A condition may cover one container and nothing below it. The containers below are then listed separately.
  const isExact = grants.rules.some(({ conditions = [] }) => conditions.some(({ operator }) => operator === 'equals'));
  return isExact ? places.flatMap((place) => [place, `${place}${inNoContainer}`]) : places;
}

const inNoContainer = '*';

function mostShown({ rules, limit }: Grants, permission: Permission, container: string): Transform | undefined {
  const own = mostOf(rules, permission, container);
  const most = limit === undefined ? 'reveal' : mostOf(limit, permission, container);
  if (own === undefined || most === undefined) return undefined;
  const transform = leastTransform(own, most);
  return permission === 'token:use' && transform !== 'reveal' ? undefined : transform;
}

/**
 * Returns the most that the rules show of a token in the container. The first rule that covers every such token
 * decides; the rules before it cover some of them.
 */
function mostOf(rules: readonly AccessRule[], permission: Permission, container: string): Transform | undefined {
  const fitting = rules.filter((rule) => rule.permissions.includes(permission) && mayCover(rule, container));
  const deciding = fitting.findIndex(({ conditions = [] }) => conditions.every(isOfContainer));
  return mostTransform(fitting.slice(0, deciding === -1 ? undefined : deciding + 1).map((rule) => rule.transform));
}

function mayCover({ container: own, conditions = [] }: AccessRule, container: string): boolean {
  if (own !== undefined) return isCovered(container, own);
  const isMet = ({ operator, value }: AccessCondition) =>
    operator === 'equals' ? container === value : container.startsWith(value);
  return conditions.length > 0 && conditions.filter(isOfContainer).every(isMet);
}

function isOfContainer({ attribute }: AccessCondition): boolean {
  return attribute === 'container';
}

const makingMembers: readonly Permission[] = ['tenant:invitation:create', 'tenant:member:update'];
const handingOut: readonly Permission[] = ['application:create', 'application:update'];

/** Returns the most that applications created or changed by the holder could see. */
function findHandedOut(holder: SightHolder, target: AccessTarget): Transform | undefined {
  if (!grantsAny(holder, handingOut)) return undefined;
  const { grantLimit: limit } = holder;
  // No limit covers what members can do, so a key that adds members is as powerful as one without a limit.
  if (limit === undefined || makingMembers.some((permission) => limit.permissions.includes(permission)))
    return 'reveal';
  const isReached = target.containers.some((path) => limit.containers.some((container) => isCovered(path, container)));
  return isReached && showing.some((permission) => isWithin(limit, permission)) ? limit.transform : undefined;
}

/**
 * Returns true if the limit allows handing out the permission. `token:use` means plaintext, so a limit that shows less
 * rules it out.
 */
function isWithin({ permissions, transform }: GrantLimit, permission: Permission): boolean {
  return permissions.includes(permission) && (permission !== 'token:use' || transform === 'reveal');
}

function grantsAny({ grants }: SightHolder, permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => grantsAnywhere(grants.rules, permission));
}

function toWays(way: SightWay, transform: Transform | undefined): Sight['ways'] {
  return transform === undefined ? [] : [{ way, transform }];
}
