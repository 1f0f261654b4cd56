import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions } from '../../../http/pages/page-reply.ts';
import { beganWithLink } from '../people/confined-session.ts';
import type { UserSession } from '../people/user.ts';
import type { Portal } from '../visits/portal.ts';
import { clearSessionCookie, originOf, requireSession } from '../visits/portal-session-routes.ts';
import { endAllSessionsPath, endSessionPath } from './own-session-list.ts';

/** Adds the routes that sign the user out elsewhere. They need no recent sign-in, because they only take access away. */
export function addOwnSessionRoutes(app: FastifyInstance, portal: Portal): void {
  app.post(endSessionPath, pageOptions, async (request, reply) => {
    const session = await requireOwnWay(portal, request);
    await portal.ownSessions.end(session, formOf(request)('id'), originOf(request));
    return reply.redirect('/portal/account', 303);
  });

  app.post(endAllSessionsPath, pageOptions, async (request, reply) => {
    const session = await requireOwnWay(portal, request);
    await portal.ownSessions.endAll(session, originOf(request));
    clearSessionCookie(portal, reply);
    return reply.redirect('/portal/sign-in', 303);
  });
}

/** Someone who merely holds a link must not sign the user out of the browsers in which they work. */
async function requireOwnWay(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireSession(portal, request);
  if (!beganWithLink(session)) return session;
  throw new DomainError('sign-in-way-required', 'Sign in with your own way, not with a link, to sign out elsewhere.');
}
