import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { removalTimeOf } from '../../../core/identity/deleted-tenant.ts';
import { memberRoles } from '../../../core/identity/caller.ts';
import { rolePermissions } from '../../members/index.ts';
import { isConfinedIn, lacksProvider } from '../people/confined-session.ts';
import { requireMemberSession, tenantHeader } from './member-session-routes.ts';
import type { Portal, PortalPlace } from '../visits/portal.ts';
import type { Membership, UserSession } from '../people/user.ts';

const Permissions = Type.Array(Type.String());

const MeView = Type.Object({
  user: Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  }),
  signed_in_at: timestamp('When the session began.'),
  is_fresh: Type.Boolean({ description: 'Whether the session may make changes without signing in again.' }),
  fresh_until: Type.Optional(timestamp('Until when the session may make changes without signing in again.')),
  tenants: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      name: Type.String(),
      role: Type.Enum([...memberRoles]),
      needs_sign_in_way: Type.Boolean({
        description: 'Whether a sign-in method must be set up before anything can be done in the tenant.',
      }),
      needs_provider: Type.Boolean({
        description:
          'Whether the tenant accepts only sessions that began at the OpenID provider, and this one did not.',
      }),
      deleted_at: Type.Optional(timestamp('When the tenant was deleted. Absent if it was not.')),
      removed_at: Type.Optional(timestamp('When the tenant is removed. From then on, it cannot be restored.')),
    }),
  ),
  role_permissions: Type.Object(
    { OWNER: Permissions, ADMIN: Permissions, READ_ONLY: Permissions },
    { description: 'The permissions of each role, so that pages can hide what a role cannot use.' },
  ),
  tenant_header: Type.String({ description: 'The header that names the tenant to work on.' }),
  documentation_url: Type.Optional(Type.String({ description: 'Where the documentation is.' })),
  elements_url: Type.Optional(Type.String({ description: 'The origin of the card fields.' })),
  mails_invitations: Type.Boolean({
    description: 'Whether invitations are mailed. If not, members pass on their links.',
  }),
  alert_thresholds: Type.Object(
    {
      window_minutes: Type.Integer(),
      misses: Type.Integer(),
      reveals: Type.Integer(),
      addresses: Type.Integer(),
    },
    { description: 'The thresholds for alerts in the settings of the server. 0 turns an alert off.' },
  ),
  is_development: Type.Boolean({ description: 'Whether this is a vault for development.' }),
});

/**
 * Adds the route that returns the signed-in user and their tenants. It is the only member route that does not act on a
 * tenant.
 */
export function addMeRoute(
  scope: FastifyInstance,
  portal: Pick<Portal, 'cookies' | 'publicUrl' | 'place' | 'sessions'>,
): void {
  scope.get(
    '/me',
    {
      config: { permission: 'any-key', audience: 'members' },
      schema: { hide: true, querystring: NoParameters, response: { 200: MeView } },
    },
    async (request, reply) => toMeView(await requireMemberSession(portal, request, reply), portal.place),
  );
}

function toMeView(
  session: UserSession,
  { documentationUrl, elementsUrl, mailsInvitations, alertThresholds, isDevelopment }: PortalPlace,
) {
  const { windowMinutes, misses, reveals, addresses } = alertThresholds;
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
      needs_provider: lacksProvider(session, membership),
      ...toDeletionView(membership),
    })),
    role_permissions: {
      OWNER: [...rolePermissions.OWNER],
      ADMIN: [...rolePermissions.ADMIN],
      READ_ONLY: [...rolePermissions.READ_ONLY],
    },
    tenant_header: tenantHeader,
    ...(documentationUrl === undefined ? {} : { documentation_url: documentationUrl }),
    ...(elementsUrl === undefined ? {} : { elements_url: elementsUrl }),
    mails_invitations: mailsInvitations,
    alert_thresholds: { window_minutes: windowMinutes, misses, reveals, addresses },
    is_development: isDevelopment,
  };
}

function toDeletionView({ deletedAt }: Membership): { deleted_at?: string; removed_at?: string } {
  if (deletedAt === null) return {};
  return { deleted_at: toTimestamp(deletedAt), removed_at: toTimestamp(removalTimeOf(deletedAt)) };
}
