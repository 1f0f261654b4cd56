import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { formOf } from '../../http/form-body.ts';
import { pageOptions, sendPage } from '../../http/page-reply.ts';
import { renderAccountPage, renderPasswordPage } from './account-page.ts';
import type { Portal } from './portal.ts';
import { originOf, requireFreshSession, requireSession } from './portal-session-routes.ts';
import { renderRecoveryCodesPage } from './recovery-code-page.ts';

const mistakes = {
  length: 'The password must have 12 to 200 characters.',
  code: 'The code is incorrect. Check the clock on your device and try the next code.',
} as const;

/** The user's own account page, and adding sign-in methods. */
export function addAccountRoutes(app: FastifyInstance, portal: Portal): void {
  app.get('/portal/account', pageOptions, async (request, reply) => {
    const session = await requireSession(portal, request);
    const ways = await portal.sessions.listWays(session);
    const passkey = await portal.passkeys.beginAdding(session);
    return sendPage(reply, renderAccountPage({ session, ways, passkey, provider: portal.provider }));
  });

  app.post('/portal/passkeys', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    const field = formOf(request);
    const given = { sealed: field('sealed'), credential: field('credential') };
    if (!(await portal.passkeys.completeAdding(session, given))) {
      throw new DomainError('validation-failed', 'The passkey could not be added. Go back and try again.');
    }
    await portal.sessions.recordChange(session.user.id, originOf(request));
    return reply.redirect('/portal/account', 303);
  });

  app.post('/portal/password/begin', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    return sendPage(reply, renderPasswordPage(portal.passwords.beginSetup(session)));
  });

  app.post('/portal/password', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    const given = readPassword(request);
    const outcome = await portal.passwords.completeSetup(session, given);
    const authenticator = portal.passwords.resumeSetup(session, given.sealed);
    if (outcome === 'expired' || authenticator === undefined) {
      throw new DomainError('validation-failed', 'This page has expired. Go back and start again.');
    }
    if (typeof outcome === 'string') return sendPage(reply, renderPasswordPage(authenticator, mistakes[outcome]), 400);
    await portal.sessions.recordChange(session.user.id, originOf(request));
    return sendPage(reply, renderRecoveryCodesPage(outcome.recoveryCodes));
  });

  app.post('/portal/recovery-codes', pageOptions, async (request, reply) => {
    const session = await requireFreshSession(portal, request);
    const codes = await portal.recoveryCodes.renew(session);
    if (codes === undefined) {
      throw new DomainError('validation-failed', 'Recovery codes need a password with an authenticator app.');
    }
    await portal.sessions.recordChange(session.user.id, originOf(request));
    return sendPage(reply, renderRecoveryCodesPage(codes));
  });
}

function readPassword(request: FastifyRequest): { sealed: string; password: Sensitive<string>; code: string } {
  const field = formOf(request);
  return { sealed: field('sealed'), password: new Sensitive(field('password')), code: field('code') };
}
