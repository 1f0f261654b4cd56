import { countConditions } from '../../core/access/access-rule.ts';
import { type AccessTarget, isGranted, toRules } from '../../core/access/decide-access.ts';
import type { ApplicationType } from '../../core/access/permission.ts';
import { findSight, findSightWithin, type Sight, type SightHolder } from '../../core/sight/sight.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId, TokenId } from '../../core/identity/ids.ts';
import { finish, type Steps } from '../../core/steps/steps.ts';
import { noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { holdTenantState } from '../../platform/database/open-tenant.ts';
import { databaseClock } from '../../platform/database/database-clock.ts';
import { loopPace } from '../../platform/waiting/tenant-pace.ts';
import { inTurns, mapInTurns } from '../../platform/waiting/turns.ts';
import { weighRights } from '../../platform/waiting/work-weight.ts';
import { type Application, applicationEvent, ApplicationStore } from '../applications/index.ts';
import { InvitationStore } from '../invitations/index.ts';
import { MemberStore, type Role, rolePermissions } from '../members/index.ts';
import { listLiveSessions, type LiveSession } from '../sessions/index.ts';
import { listSharedContainers, noSuchToken, type TokenStore } from '../tokens/index.ts';

/** The lists in the order in which they are read. */
export const onlookerLists = ['applications', 'members', 'invitations', 'sessions'] as const;

/** The last row of an earlier response. */
export interface OnlookerCursor {
  readonly list: (typeof onlookerLists)[number];
  readonly id: string;
}

export interface WhoQuestion {
  /** A container includes everything in it and below it. */
  readonly target: { readonly tokenId: TokenId } | { readonly container: string };
  readonly after: OnlookerCursor | undefined;
}

interface SeeingApplication extends Sight {
  readonly id: string;
  readonly name: string;
  readonly type: ApplicationType;
}

interface SeeingSession extends Sight {
  readonly id: string;
  readonly authorizedBy: string;
  readonly expiresAt: Date;
}

/** A member who can see the target. The ids are only set for callers who may list members. */
interface SeeingMember extends Sight {
  readonly id?: string;
  readonly userId?: string;
  readonly role: Role;
}

/** An invitation whose holder can see the target. The id is only set for callers who may list invitations. */
interface SeeingInvitation extends Sight {
  readonly id?: string;
  readonly role: string;
  readonly expiresAt: Date;
}

/** Everybody who can see a token, or a token in a container. */
export interface Onlookers {
  readonly applications: readonly SeeingApplication[];
  readonly members: readonly SeeingMember[];
  readonly invitations: readonly SeeingInvitation[];
  readonly sessions: readonly SeeingSession[];
  /** The last row of this response, if there may be more. */
  readonly next: OnlookerCursor | undefined;
}

/** The number of rows checked for one response. The number of rows of a tenant has no limit. */
const rowsPerPart = 1_000;

/** Finds everybody who can see a token. This is the reverse of explaining access. It reads rights, never data. */
export class WhoService {
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #rowsPerPart: number;

  constructor(parts: { database: Database; tokens: TokenStore; rowsPerPart?: number }) {
    this.#database = parts.database;
    this.#tokens = parts.tokens;
    this.#rowsPerPart = parts.rowsPerPart ?? rowsPerPart;
  }

  async find(tenantId: TenantId, actor: Caller | 'system', { target, after }: WhoQuestion): Promise<Onlookers> {
    const findSightOf = await this.#toFinder(tenantId, target);
    const { applications, members, invitations, sessions, next } = await this.#database.forTenant(
      tenantId,
      async (tx) => {
        if (actor === 'system') await this.#requireTenant(tx, tenantId);
        return this.#readPart(tx, tenantId, after);
      },
    );
    const mayList = (permission: 'tenant:member:read' | 'tenant:invitation:read') =>
      actor === 'system' || isGranted(actor.grants, permission);
    // Rights can have many conditions, so the work yields to other requests, and the tenant is charged for it.
    const look = (holder: SightHolder) => {
      const { rules, limit = [] } = holder.grants;
      if ('container' in target) loopPace.charge(tenantId, weighRights(countConditions([...rules, ...limit])));
      return inTurns(findSightOf(holder));
    };
    const seeing = await mapInTurns(applications, async ({ id, name, type, ...rest }) =>
      withSight({ id, name, type }, await look(toHolder({ type, ...rest }))),
    );
    const live = await mapInTurns(sessions, async ({ id, authorizedBy, expiresAt, ...rights }) =>
      withSight({ id, authorizedBy, expiresAt }, await look(toSessionHolder(rights))),
    );
    // The record is written after all the work. A request that times out before then is abandoned.
    await this.#database.forTenant(tenantId, async (tx) => {
      if (actor === 'system') await this.#requireTenant(tx, tenantId);
      await recordInTransaction(tx, tenantId, actor, applicationEvent(noSingleEntity, 'read'));
    });
    return {
      applications: seeing.flat(),
      members: members.map(({ id, userId, role }) => ({
        ...(mayList('tenant:member:read') ? { id, userId } : {}),
        role,
        ...toMemberSight(role, findSightOf),
      })),
      invitations: invitations.map(({ id, role, expiresAt }) => ({
        ...(mayList('tenant:invitation:read') ? { id } : {}),
        role,
        expiresAt,
        ...toInvitedSight(role, findSightOf),
      })),
      sessions: live.flat(),
      next,
    };
  }

  /** Reads the next rows, from as many lists as fit into one response. */
  async #readPart(tx: Transaction, tenantId: TenantId, after: OnlookerCursor | undefined) {
    let left = this.#rowsPerPart;
    let next: OnlookerCursor | undefined;
    const first = after === undefined ? 0 : onlookerLists.indexOf(after.list);
    const read = async <Row extends { readonly id: string }>(
      list: OnlookerCursor['list'],
      readRows: (page: { after: string | undefined; limit: number }) => Promise<Row[]>,
    ): Promise<Row[]> => {
      if (left === 0 || onlookerLists.indexOf(list) < first) return [];
      const rows = await readRows({ after: after?.list === list ? after.id : undefined, limit: left });
      left -= rows.length;
      const last = rows.at(-1);
      if (left === 0 && last !== undefined) next = { list, id: last.id };
      return rows;
    };
    const applications = await read('applications', (page) =>
      new ApplicationStore(tx, tenantId).listUsable({ ...page, type: undefined }),
    );
    const members = await read('members', (page) => new MemberStore(tx, tenantId).listRoles(page));
    const invitations = await read('invitations', (page) =>
      new InvitationStore(tx, tenantId, databaseClock).listOpen(page),
    );
    const sessions = await read('sessions', (page) => listLiveSessions(tx, tenantId, page));
    return { applications, members, invitations, sessions, next };
  }

  /**
   * Returns a function that finds how a holder can see the target. A token is in known containers. For a container, its
   * tokens may also be in other containers, where other rules may reveal them.
   */
  async #toFinder(tenantId: TenantId, target: WhoQuestion['target']): Promise<SightFinder> {
    if ('tokenId' in target) return toTokenFinder(await this.#load(tenantId, target.tokenId));
    const { container } = target;
    const shared = await this.#database.forTenant(tenantId, (tx) => listSharedContainers(tx, tenantId, container));
    return (holder) => findSightWithin(holder, container, shared);
  }

  /** Throws if the tenant was removed, because no audit record is written for such a tenant. */
  async #requireTenant(tx: Transaction, tenantId: TenantId): Promise<void> {
    if ((await holdTenantState(tx, tenantId)) === 'absent')
      throw new DomainError('not-found', 'There is no such tenant.');
  }

  async #load(tenantId: TenantId, tokenId: TokenId): Promise<AccessTarget> {
    const token = await this.#tokens.find(tenantId, tokenId);
    if (token === undefined) throw noSuchToken();
    return token;
  }
}

type SightFinder = (holder: SightHolder) => Steps<Sight | undefined>;

function toTokenFinder(token: AccessTarget): SightFinder {
  return function* (holder) {
    const sight = findSight(holder, token);
    yield;
    return sight;
  };
}

/** Returns what a role can see. This includes exports, which contain every token of the tenant as plaintext. */
function toMemberSight(role: Role, findSightOf: SightFinder): Sight {
  const grants = { rules: toRules(rolePermissions[role], []) };
  // Members have management rights, and the portal has no way to define a view of the data.
  const { ways = [], transform = 'redact' } = finish(findSightOf({ applicationType: 'management', grants })) ?? {};
  if (!approvingRoles.has(role)) return { transform, ways };
  return { transform: 'reveal', ways: [...ways, { way: 'approving-exports', transform: 'reveal' }] };
}

const approvingRoles: ReadonlySet<Role> = new Set<Role>(['OWNER', 'ADMIN']);

function toInvitedSight(role: Role, findSightOf: SightFinder): Sight {
  const { transform } = toMemberSight(role, findSightOf);
  return { transform, ways: [{ way: 'accepting-an-invitation', transform }] };
}

function withSight<Who extends object>(who: Who, sight: Sight | undefined): (Who & Sight)[] {
  return sight === undefined ? [] : [{ ...who, ...sight }];
}

function toHolder({ type, permissions, rules, grantLimit }: Rights): SightHolder {
  const grants = { rules: toRules(permissions, rules) };
  return { applicationType: type, grants, ...(grantLimit === null ? {} : { grantLimit }) };
}

type Rights = Pick<Application, 'type' | 'permissions' | 'rules' | 'grantLimit'>;

/** Returns the effective rights of a session: its own, limited to those of its authorizer, as when its key is used. */
function toSessionHolder({ permissions, rules, authorizer }: SessionRights): SightHolder {
  return {
    applicationType: 'public',
    grants: { rules: toRules(permissions, rules), limit: toRules(authorizer.permissions, authorizer.rules) },
    session: { isAuthorized: true },
  };
}

type SessionRights = Pick<LiveSession, 'permissions' | 'rules' | 'authorizer'>;
