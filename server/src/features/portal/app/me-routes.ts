import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { removalTimeOf } from '../../../core/identity/deleted-tenant.ts';
import { memberRoles } from '../../../core/identity/caller.ts';
import { rolePermissions } from '../../members/index.ts';
import { isConfinedIn } from '../people/confined-session.ts';
import { requireMemberSession, tenantHeader } from './member-session-routes.ts';
import type { Portal } from '../visits/portal.ts';
import type { Membership, UserSession } from '../people/user.ts';

const Permissions = Type.Array(Type.String());

const MeView = Type.Object({
  user: Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  }),
  signed_in_at: timestamp('When the session began.'),
  is_fresh: Type.Boolean({ description: 'Whether changes are accepted without signing in again.' }),
  fresh_until: Type.Optional(timestamp('Until when they are.')),
  tenants: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      name: Type.String(),
      role: Type.Enum([...memberRoles]),
      needs_sign_in_way: Type.Boolean({
        description: 'Whether nothing can be done in the tenant before a way to sign in is set up.',
      }),
      deleted_at: Type.Optional(timestamp('When it was deleted; absent if it was not.')),
      removed_at: Type.Optional(timestamp('When it will be removed, and can no longer be restored.')),
    }),
  ),
  role_permissions: Type.Object(
    { OWNER: Permissions, ADMIN: Permissions, READ_ONLY: Permissions },
    { description: 'So that a page hides what a role cannot use.' },
  ),
  tenant_header: Type.String({ description: 'The header that names the tenant to work on.' }),
});

/**
 * Adds the route that returns the signed-in user and their tenants. It is the only member route that does not act on a
 * tenant.
 */
export function addMeRoute(scope: FastifyInstance, portal: Pick<Portal, 'publicUrl' | 'sessions'>): void {
  scope.get(
    '/me',
    {
      config: { permission: 'any-key', audience: 'members' },
      schema: { hide: true, querystring: NoParameters, response: { 200: MeView } },
    },
    async (request, reply) => toMeView(await requireMemberSession(portal, request, reply)),
  );
}

function toMeView(session: UserSession) {
  const { user, signedInAt, isFresh, freshUntil, memberships } = session;
  return {
    user: {
      id: user.id,
      ...(user.email === null ? {} : { email: user.email }),
      ...(user.name === null ? {} : { name: user.name }),
    },
    signed_in_at: toTimestamp(signedInAt),
    is_fresh: isFresh,
    ...(isFresh ? { fresh_until: toTimestamp(freshUntil) } : {}),
    tenants: memberships.map((membership) => ({
      id: membership.tenantId,
      name: membership.tenantName,
      role: membership.role,
      needs_sign_in_way: isConfinedIn(session, membership),
      ...toDeletionView(membership),
    })),
    role_permissions: {
      OWNER: [...rolePermissions.OWNER],
      ADMIN: [...rolePermissions.ADMIN],
      READ_ONLY: [...rolePermissions.READ_ONLY],
    },
    tenant_header: tenantHeader,
  };
}

function toDeletionView({ deletedAt }: Membership): { deleted_at?: string; removed_at?: string } {
  if (deletedAt === null) return {};
  return { deleted_at: toTimestamp(deletedAt), removed_at: toTimestamp(removalTimeOf(deletedAt)) };
}
