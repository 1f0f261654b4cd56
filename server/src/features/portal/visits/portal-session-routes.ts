import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions } from '../../../http/pages/page-reply.ts';
import { alreadyHasWay, beganWithLink, isConfinedEverywhere } from '../people/confined-session.ts';
import type { Portal } from './portal.ts';
import { toSignInPath } from '../frame/sign-in-destination.ts';
import type { StartedSession } from '../people/user-sessions.ts';
import { nameBrowser } from '../people/browser-name.ts';
import { countUsableWays, type Origin, type SignInOrigin, type UserSession } from '../people/user.ts';

/**
 * The header that says how long ago the user last interacted with the page. The request itself may come from a timer.
 */
const idleHeader = 'strongroom-idle-seconds';

/** Thrown for visitors who are not signed in. They are redirected to the sign-in page. */
export class NotSignedIn extends Error {}

/** Thrown for users who have to set up a sign-in method. They are redirected to the page for it. */
export class WayRequired extends Error {}

export function addSignOutRoute(app: FastifyInstance, portal: Portal): void {
  app.post('/portal/sign-out', pageOptions, async (request, reply) => {
    const session = await findSession(portal, request);
    if (session !== undefined) await portal.sessions.end(session, originOf(request));
    clearSessionCookie(portal, reply);
    // A user who signs out only to sign in again returns to the page `next` afterwards.
    return reply.redirect(toSignInPath(formOf(request)('next')), 303);
  });
}

export function findSession(
  portal: Pick<Portal, 'cookies' | 'sessions'>,
  request: FastifyRequest,
): Promise<UserSession | undefined> {
  return portal.sessions.find(portal.cookies.session.read(request.headers.cookie), idleTimeOf(request));
}

/**
 * Returns the idle time of the user in seconds. It is zero if the user opens a page. A value that cannot be parsed does
 * not keep a session alive.
 */
function idleTimeOf({ headers }: FastifyRequest): number {
  const text = headers[idleHeader];
  if (text === undefined) return 0;
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}

export async function requireSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await findSession(portal, request);
  if (session === undefined) throw new NotSignedIn();
  return session;
}

/**
 * Requires a session that can do something in at least one tenant. Otherwise the user is redirected to the account
 * page.
 */
export async function requireUsableSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireSession(portal, request);
  if (isConfinedEverywhere(session)) throw new WayRequired();
  return session;
}

/**
 * Requires a session that may change sign-in methods. A session that was stolen a while ago, or that began with a link,
 * must not be enough to gain permanent access.
 */
export async function requireFreshSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireRecentSession(portal, request);
  if (beganWithLink(session)) throw alreadyHasWay();
  return session;
}

/**
 * Requires a session that may set up a sign-in method. A session that began with a link may do so if the user has none.
 */
export async function requireSetupSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireRecentSession(portal, request);
  const ways = await portal.sessions.listWays(session);
  if (beganWithLink(session) && countUsableWays(ways, portal.provider?.issuer) > 0) throw alreadyHasWay();
  return session;
}

async function requireRecentSession(portal: Portal, request: FastifyRequest): Promise<UserSession> {
  const session = await requireSession(portal, request);
  if (session.isFresh) return session;
  throw new DomainError(
    'forbidden',
    session.provenSince === null
      ? 'Your link was used more than 15 minutes ago. To set up a way to sign in, ask your vault operator for a new link.'
      : 'To change how you sign in, sign out and sign in again.',
  );
}

export function setSessionCookie({ cookies }: Portal, reply: FastifyReply, started: StartedSession): void {
  reply.header('set-cookie', cookies.session.write(started.cookie));
}

export function clearSessionCookie({ cookies }: Portal, reply: FastifyReply): void {
  reply.header('set-cookie', cookies.session.remove());
}

/** Returns the source of a sign-in, with the name of the browser. */
export function signInOriginOf(request: FastifyRequest): SignInOrigin {
  return { ...originOf(request), browser: nameBrowser(request.headers['user-agent']) };
}

export function originOf(request: FastifyRequest): Origin {
  return { requestId: request.id, sourceAddress: request.clientAddress };
}
