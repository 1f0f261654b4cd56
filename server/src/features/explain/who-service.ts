import type { AccessTarget } from '../../core/access/decide-access.ts';
import { toRules } from '../../core/access/decide-access.ts';
import type { ApplicationType } from '../../core/access/permission.ts';
import { findSight, type Sight, type SightHolder } from '../../core/access/sight.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId, TokenId } from '../../core/identity/ids.ts';
import { noSingleEntity } from '../../platform/audit/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Application, ApplicationStore, applicationEvent } from '../applications/index.ts';
import { MemberStore, type Role } from '../members/index.ts';
import { listLiveSessions, type LiveSession } from '../sessions/index.ts';
import { noSuchToken, type TokenStore } from '../tokens/index.ts';

export interface WhoQuestion {
  readonly target: { readonly tokenId: TokenId } | { readonly container: string };
  /** The session that an earlier response ended with. */
  readonly afterSession: string | undefined;
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

interface SeeingMember extends Sight {
  readonly id: string;
  readonly userId: string;
  readonly role: Role;
}

/** Everybody who can see a token or a token in a container. */
export interface Onlookers {
  readonly applications: readonly SeeingApplication[];
  readonly members: readonly SeeingMember[];
  readonly sessions: readonly SeeingSession[];
  /** More sessions may follow after this one. */
  readonly nextSession: string | undefined;
}

/** There can be many sessions, so they are looked at in parts. */
const sessionsPerPart = 1_000;

/** The reverse of explaining: not what one may do, but who may. It looks at rights, never at data. */
export class WhoService {
  readonly #database: Database;
  readonly #tokens: TokenStore;

  constructor(parts: { database: Database; tokens: TokenStore }) {
    this.#database = parts.database;
    this.#tokens = parts.tokens;
  }

  async find(tenantId: TenantId, actor: Caller | 'system', { target, afterSession }: WhoQuestion): Promise<Onlookers> {
    const seen = await this.#load(tenantId, target);
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = new ApplicationStore(tx, tenantId);
      if (actor === 'system' && !(await store.holdTenant()))
        throw new DomainError('not-found', 'There is no such tenant.');
      const page = { after: afterSession, limit: sessionsPerPart };
      const sessions = await listLiveSessions(tx, tenantId, page);
      const isFirst = afterSession === undefined;
      const applications = isFirst ? await store.listUsable() : [];
      const approvers = isFirst ? await new MemberStore(tx, tenantId).listApprovers() : [];
      await recordInTransaction(tx, tenantId, actor, applicationEvent(noSingleEntity, 'read'));
      return {
        applications: applications.flatMap(({ id, name, type, ...rest }) =>
          withSight({ id, name, type }, toHolder({ type, ...rest }), seen),
        ),
        members: approvers.map((member) => ({ ...member, ...approving })),
        sessions: sessions.flatMap(({ id, authorizedBy, expiresAt, ...rights }) =>
          withSight({ id, authorizedBy, expiresAt }, toSessionHolder(rights), seen),
        ),
        nextSession: sessions.length === sessionsPerPart ? sessions.at(-1)?.id : undefined,
      };
    });
  }

  async #load(tenantId: TenantId, target: WhoQuestion['target']): Promise<AccessTarget> {
    if ('container' in target) return { containers: [target.container] };
    const token = await this.#tokens.find(tenantId, target.tokenId);
    if (token === undefined) throw noSuchToken();
    return token;
  }
}

/** An export holds every token of the tenant, as plaintext. */
const approving: Sight = { transform: 'reveal', ways: [{ way: 'approving-exports', transform: 'reveal' }] };

function withSight<Who extends object>(who: Who, holder: SightHolder, target: AccessTarget): (Who & Sight)[] {
  const sight = findSight(holder, target);
  return sight === undefined ? [] : [{ ...who, ...sight }];
}

function toHolder({ type, permissions, rules, grantLimit }: Rights): SightHolder {
  const grants = { rules: toRules(permissions, rules) };
  return { applicationType: type, grants, ...(grantLimit === null ? {} : { grantLimit }) };
}

type Rights = Pick<Application, 'type' | 'permissions' | 'rules' | 'grantLimit'>;

/** As a session key is read when it is used: its own rights, within those of its authorizer. */
function toSessionHolder({ permissions, rules, authorizer }: SessionRights): SightHolder {
  return {
    applicationType: 'public',
    grants: { rules: toRules(permissions, rules), limit: toRules(authorizer.permissions, authorizer.rules) },
    session: { isAuthorized: true },
  };
}

type SessionRights = Pick<LiveSession, 'permissions' | 'rules' | 'authorizer'>;
