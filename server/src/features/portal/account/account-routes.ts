import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { renderAccountPage, renderPasswordPage } from './account-page.ts';
import { nameBrowser } from '../people/browser-name.ts';
import { beganWithLink } from '../people/confined-session.ts';
import type { Portal } from '../visits/portal.ts';
import { toShownName } from '../people/shown-name.ts';
import {
  clearSessionCookie,
  originOf,
  requireFreshSession,
  requireSession,
  requireSetupSession,
} from '../visits/portal-session-routes.ts';
import { renderRecoveryCodesPage } from './recovery-code-page.ts';
import { renderSetupPage } from './setup-page.ts';
import { readyToSignInPath } from '../frame/sign-in-destination.ts';

/** Adds the user's own account page and the routes that add sign-in methods. */
export function addAccountRoutes(app: FastifyInstance, portal: Portal): void {
  app.get('/portal/account', pageOptions, async (request, reply) => {
    const session = await requireSession(portal, request);
    const ways = await portal.sessions.listWays(session);
    const passkey = await portal.passkeys.beginAdding(session);
    const sessions = await portal.ownSessions.list(session);
    const { documentationUrl } = portal.place;
    const page = { session, ways, sessions, passkey, provider: portal.provider, documentationUrl };
    return sendPage(reply, beganWithLink(session) ? renderSetupPage(page) : renderAccountPage(page));
  });

  app.post('/portal/account/name', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    await portal.sessions.rename(session, toShownName(formOf(request)('name')), originOf(request));
    return reply.redirect('/portal/account', 303);
  });

  app.post('/portal/passkeys', pageOptions, async (request, reply) => {
    const session = await requireSetupSession(portal, request);
    const field = formOf(request);
    const name = toShownName(field('name')) ?? nameBrowser(request.headers['user-agent']);
    const given = { sealed: field('sealed'), credential: field('credential'), name };
    if (!(await portal.passkeys.completeAdding(session, given))) {
      throw new DomainError('validation-failed', 'The passkey could not be added. Go back and try again.');
    }
    await portal.sessions.recordChange(session.user.id, originOf(request));
    if (!beganWithLink(session)) return reply.redirect('/portal/account', 303);
    clearSessionCookie(portal, reply);
    return reply.redirect(readyToSignInPath, 303);
  });

  app.post('/portal/password/begin', pageOptions, async (request, reply) => {
    const session = await requireSetupSession(portal, request);
    return sendPage(reply, renderPasswordPage(portal.passwords.beginSetup(session)));
  });

  app.post('/portal/password', pageOptions, async (request, reply) => {
    const session = await requireSetupSession(portal, request);
    const given = readPassword(request);
    const outcome = await portal.passwords.completeSetup(session, given);
    const authenticator = portal.passwords.resumeSetup(session, given.sealed);
    if (outcome === 'expired' || authenticator === undefined) {
      throw new DomainError('validation-failed', 'This page has expired. Go back and start again.');
    }
    if ('mistake' in outcome) return sendPage(reply, renderPasswordPage(authenticator, outcome.mistake), 400);
    await portal.sessions.recordChange(session.user.id, originOf(request));
    const hasEnded = beganWithLink(session) || session.hasWeakPassword;
    if (hasEnded) clearSessionCookie(portal, reply);
    return sendPage(
      reply,
      renderRecoveryCodesPage(outcome.recoveryCodes, hasEnded ? readyToSignInPath : '/portal/account'),
    );
  });

  app.post('/portal/recovery-codes', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    const codes = await portal.recoveryCodes.renew(session);
    if (codes === undefined) {
      throw new DomainError('validation-failed', 'Recovery codes need a password with an authenticator app.');
    }
    await portal.sessions.recordChange(session.user.id, originOf(request));
    return sendPage(reply, renderRecoveryCodesPage(codes, '/portal/account'));
  });
}

function readPassword(request: FastifyRequest): { sealed: string; password: Sensitive<string>; code: string } {
  const field = formOf(request);
  return { sealed: field('sealed'), password: new Sensitive(field('password')), code: field('code') };
}
