import type { FastifyInstance } from 'fastify';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { noLivingInvitation } from '../people/invitation-acceptance.ts';
import { renderInvitationPage } from './invitation-page.ts';
import type { Portal } from '../visits/portal.ts';
import { findSession, originOf, setSessionCookie, signInOriginOf } from '../visits/portal-session-routes.ts';

interface LinkRoute {
  readonly Params: { readonly link: string };
}

export function addInvitationPageRoutes(app: FastifyInstance, portal: Portal): void {
  app.get<LinkRoute>('/portal/invitations/:link', pageOptions, async (request, reply) => {
    const { link } = request.params;
    const offer = await portal.acceptance.find(link, await findSession(portal, request));
    if (offer === undefined) throw noLivingInvitation();
    return sendPage(reply, renderInvitationPage(offer, link), offer.details.status === 'EXPIRED' ? 410 : 200);
  });

  app.post<LinkRoute>('/portal/invitations/:link', pageOptions, async (request, reply) => {
    const session = await findSession(portal, request);
    const started = await portal.acceptance.accept(request.params.link, session, signInOriginOf(request));
    if (started === undefined) return reply.redirect('/portal/', 303);
    // The browser was signed in as a different user.
    if (session !== undefined) await portal.sessions.end(session, originOf(request));
    setSessionCookie(portal, reply, started);
    // A new user has no sign-in method yet and sets one up on the account page.
    return reply.redirect('/portal/account', 303);
  });
}
