import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { requireSameOrigin } from '../../../http/origins/same-origin.ts';
import type { Portal } from '../visits/portal.ts';
import { findSession } from '../visits/portal-session-routes.ts';
import type { UserSession } from '../people/user.ts';

/** The header that selects the tenant. Only users who belong to several tenants need it. */
export const tenantHeader = 'strongroom-tenant';

/**
 * Returns the session of a request from a page of this vault. Pages of other origins can neither send the request nor
 * read the response.
 */
export async function requireMemberSession(
  portal: Pick<Portal, 'cookies' | 'publicUrl' | 'sessions'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<UserSession> {
  reply.removeHeader('access-control-allow-origin');
  reply.removeHeader('access-control-expose-headers');
  requireSameOrigin(request, portal.publicUrl);
  const session = await findSession(portal, request);
  if (session === undefined) throw new DomainError('unauthenticated', 'You are not signed in.');
  return session;
}
