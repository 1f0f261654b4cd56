import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { readCookie, writeCookie } from '../../http/cookie.ts';
import { formOf } from '../../http/form-body.ts';
import { pageOptions } from '../../http/page-reply.ts';
import type { Portal } from './portal.ts';
import { toSignInPath } from './sign-in-destination.ts';
import type { StartedSession } from './user-sessions.ts';
import type { Origin, UserSession } from './user.ts';

const sessionCookie = '__Host-strongroom_session';
/** The longest that a session can last; the server may end it sooner. */
const cookieSeconds = 12 * 60 * 60;

/** Visitors who are not signed in are redirected to the sign-in page. */
export class NotSignedIn extends Error {}

export function addSignOutRoute(app: FastifyInstance, portal: Portal): void {
  app.post('/portal/sign-out', pageOptions, async (request, reply) => {
    const session = await findSession(portal, request);
    if (session !== undefined) await portal.sessions.end(session, originOf(request));
    reply.header('set-cookie', writeCookie(sessionCookie, '', { maxAgeSeconds: 0, sameSite: 'Strict' }));
    // Somebody who signs in again to change something wants to get back to it.
    return reply.redirect(toSignInPath(formOf(request)('next')), 303);
  });
}

export function findSession(
  portal: Pick<Portal, 'sessions'>,
  request: FastifyRequest,
): Promise<UserSession | undefined> {
  return portal.sessions.find(readCookie(request.headers.cookie, sessionCookie));
}

export async function requireSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await findSession(portal, request);
  if (session === undefined) throw new NotSignedIn();
  return session;
}

/** A session stolen a while ago must not be enough for permanent access. */
export async function requireFreshSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireSession(portal, request);
  if (!session.isFresh) {
    throw new DomainError('forbidden', 'To change how you sign in, sign out and sign in again.');
  }
  return session;
}

export function setSessionCookie(reply: FastifyReply, started: StartedSession): void {
  reply.header(
    'set-cookie',
    writeCookie(sessionCookie, started.cookie, { maxAgeSeconds: cookieSeconds, sameSite: 'Strict' }),
  );
}

export function originOf(request: FastifyRequest): Origin {
  return { requestId: request.id, sourceAddress: request.clientAddress };
}
