import type { Identity } from '../identity/caller.ts';
import { mostTransform, type Transform } from './access-rule.ts';
import { isCovered } from './container.ts';
import { type AccessTarget, decideAccess, grantsAnywhere } from './decide-access.ts';
import type { GrantLimit } from './grant-limit.ts';
import type { Permission } from './permission.ts';
import { mayAuthorViews } from './view-authorship.ts';

/** Permissions whose use shows a token or sends it out. */
const showing = ['token:read', 'token:search', 'token:update', 'token:use'] as const satisfies readonly Permission[];

/** How somebody can come to see a token: by a permission of its own, or in a roundabout way. */
export const sightWays = [
  ...showing,
  /** Puts a mask, search index or fingerprint expression over the data. */
  'authoring-views',
  /** Creates or changes applications. */
  'handing-out-rights',
  /** Makes members, who approve exports. */
  'making-members',
  /** Approves exports. */
  'approving-exports',
] as const;
export type SightWay = (typeof sightWays)[number];

/** What somebody can see of a token at most, and each way to it. */
export interface Sight {
  readonly transform: Transform;
  readonly ways: readonly { readonly way: SightWay; readonly transform: Transform }[];
}

/** Whose rights are looked at. */
export type SightHolder = Pick<Identity, 'grants' | 'applicationType' | 'grantLimit' | 'session'>;

/** Undefined for a holder that has no way to the token. */
export function findSight(holder: SightHolder, target: AccessTarget): Sight | undefined {
  const ways = [
    ...showing.flatMap((permission) => {
      const decision = decideAccess(holder.grants, permission, target);
      return decision.isAllowed ? [{ way: permission, transform: decision.transform }] : [];
    }),
    ...(mayAuthorViews(holder, target) ? [{ way: 'authoring-views', transform: 'reveal' } as const] : []),
    ...toIndirect('handing-out-rights', findHandedOut(holder, target)),
    ...(grantsAny(holder, makingMembers) ? toIndirect('making-members', 'reveal') : []),
  ];
  const transform = mostTransform(ways.map((way) => way.transform));
  return transform === undefined ? undefined : { transform, ways };
}

const makingMembers: readonly Permission[] = ['tenant:invitation:create', 'tenant:member:update'];
const handingOut: readonly Permission[] = ['application:create', 'application:update'];

/** The most that applications which the holder creates or changes could see. */
function findHandedOut(holder: SightHolder, target: AccessTarget): Transform | undefined {
  if (!grantsAny(holder, handingOut)) return undefined;
  const { grantLimit: limit } = holder;
  // No limit covers what members can do: a key that makes them is as good as one without a limit.
  if (limit === undefined || makingMembers.some((permission) => limit.permissions.includes(permission)))
    return 'reveal';
  const isReached = target.containers.some((path) => limit.containers.some((container) => isCovered(path, container)));
  return isReached && showing.some((permission) => isWithin(limit, permission)) ? limit.transform : undefined;
}

/** `token:use` means plaintext, so it cannot be handed out under a limit that shows less. */
function isWithin({ permissions, transform }: GrantLimit, permission: Permission): boolean {
  return permissions.includes(permission) && (permission !== 'token:use' || transform === 'reveal');
}

function grantsAny({ grants }: SightHolder, permissions: readonly Permission[]): boolean {
  return permissions.some((permission) => grantsAnywhere(grants.rules, permission));
}

function toIndirect<Way extends SightWay>(way: Way, transform: Transform | undefined) {
  return transform === undefined ? [] : [{ way, transform }];
}
