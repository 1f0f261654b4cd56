import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toRules } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { MemberCaller } from '../../../core/identity/caller.ts';
import { admitCaller, noteCaller, wasAdmittedLongAgo } from '../../../http/callers/authentication.ts';
import { type Role, rolePermissions } from '../../members/index.ts';
import { requireUnconfined } from '../people/confined-session.ts';
import { addMeRoute } from './me-routes.ts';
import { requireMemberSession, tenantHeader } from './member-session-routes.ts';
import { isProven } from '../people/require-proof.ts';
import type { Portal } from '../visits/portal.ts';
import { originOf } from '../visits/portal-session-routes.ts';
import type { Membership, UserSession } from '../people/user.ts';

export const memberApiPrefix = '/portal/api';
const grantsOf = (role: Role) => ({ rules: toRules(rolePermissions[role], []) });
const roleGrants = { OWNER: grantsOf('OWNER'), ADMIN: grantsOf('ADMIN'), READ_ONLY: grantsOf('READ_ONLY') };

/**
 * Adds the routes of the API for signed-in members. Routes and services are shared with the API, but a cookie replaces
 * the key, and the role replaces the permissions. Every change needs a recent sign-in.
 */
export function addMemberScope(
  edge: FastifyInstance,
  portal: Pick<Portal, 'cookies' | 'publicUrl' | 'place' | 'sessions'>,
  addRoutes: (scope: FastifyInstance) => void,
): void {
  void edge.register(async (scope) => addMeRoute(scope, portal), { prefix: memberApiPrefix });
  void edge.register(
    async (scope) => {
      scope.addHook('onRoute', (route) => {
        // A browser does not retry requests by itself, and the API description is for callers with keys.
        route.config = { ...route.config, audience: 'members', isRepeatable: false };
        route.schema = { ...route.schema, hide: true };
      });
      scope.addHook('onRequest', (request, reply) => admitMember(portal, request, reply));
      scope.addHook('preHandler', async (request, reply) => {
        if (wasAdmittedLongAgo(request)) await admitMember(portal, request, reply);
      });
      addRoutes(scope);
    },
    { prefix: memberApiPrefix },
  );
}

/**
 * Authenticates the member before the body is read, and again if the body took long to arrive, because the member may
 * have been removed or demoted in the meantime.
 */
async function admitMember(
  portal: Pick<Portal, 'cookies' | 'publicUrl' | 'sessions'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const lookedAt = performance.now();
  const session = await requireMemberSession(portal, request, reply);
  const membership = findMembership(session, request.headers[tenantHeader]);
  const caller = toCaller(request, session, membership);
  // From here on, a rejection is recorded under this member.
  noteCaller(request, caller, lookedAt);
  requireUnconfined(session, membership);
  admitCaller(request, caller, lookedAt);
  if (membership.deletedAt !== null && request.routeOptions.config.worksOnDeletedTenant !== true) throw closedTenant();
  if (changesSomething(request) && !session.isFresh) throw staleSignIn();
}

/** Finds the tenant to work on. A tenant that the user does not belong to is treated like one that does not exist. */
function findMembership({ memberships }: UserSession, wanted: string | string[] | undefined): Membership {
  const [only, ...others] = memberships;
  if (wanted === undefined && only !== undefined && others.length === 0) return only;
  const found = memberships.find(({ tenantId }) => tenantId === wanted);
  if (found !== undefined) return found;
  throw wanted === undefined
    ? new DomainError('validation-failed', `Name one of your tenants in the ${tenantHeader} header.`)
    : new DomainError('not-found', 'There is no such tenant.');
}

function toCaller(request: FastifyRequest, session: UserSession, { tenantId, role }: Membership): MemberCaller {
  const { user } = session;
  const proof = { isProven: isProven(session), isByProvider: session.isByProvider };
  return { tenantId, userId: user.id, role, grants: roleGrants[role], ...proof, ...originOf(request) };
}

function changesSomething({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && routeOptions.config.isReadOnly !== true;
}

/**
 * Returns the error for a deleted tenant. It is not `tenant-deleted`, which is for keys, because a member is still
 * signed in and may restore the tenant.
 */
function closedTenant(): DomainError {
  return new DomainError('forbidden', 'This tenant was deleted. Its owner can restore it until it is removed.');
}

function staleSignIn(): DomainError {
  return new DomainError('sign-in-too-old', 'Changes need a sign-in within the last 15 minutes. Sign in again.');
}
