import type { FastifyInstance } from 'fastify';
import { addFormParser } from '../../http/bodies/form-body.ts';
import { html } from '../../http/pages/html.ts';
import { addFormPageHeaders, sendPage } from '../../http/pages/page-reply.ts';
import { requireSameOrigin } from '../../http/origins/same-origin.ts';
import { addAccountRoutes } from './account/account-routes.ts';
import { addApprovalRoutes } from './decisions/approval-routes.ts';
import { addOwnSessionRoutes } from './account/own-session-routes.ts';
import { addExportRoutes } from './decisions/export-routes.ts';
import { addInvitationPageRoutes } from './invitations/invitation-page-routes.ts';
import type { Portal } from './visits/portal.ts';
import { renderPortalPage } from './frame/portal-page.ts';
import { addPortalAppRoutes } from './app/portal-app-routes.ts';
import { addSignOutRoute, NotSignedIn, WayRequired } from './visits/portal-session-routes.ts';
import { addProviderRoutes } from './sign-in/provider-routes.ts';
import { toPagePath, toSignInPath } from './frame/sign-in-destination.ts';
import { addSignInRoutes } from './sign-in/sign-in-routes.ts';
import { addWayRoutes } from './account/way-routes.ts';

/**
 * Adds the pages under `/portal/` for accepting invitations and signing in. They work without scripts, except for
 * passkeys.
 */
export function addPortalRoutes(app: FastifyInstance, portal: Portal): void {
  void app.register(async (pages) => {
    addFormParser(pages);
    pages.addHook('onRequest', async (request, reply) => {
      addFormPageHeaders(reply);
      if (request.method === 'POST') requireSameOrigin(request, portal.publicUrl);
    });
    // All other errors are shown and logged by the central handler.
    pages.setErrorHandler((error, { method, url, headers }, reply) => {
      if (error instanceof WayRequired) return reply.redirect('/portal/account', 303);
      if (!(error instanceof NotSignedIn)) throw error;
      if (method === 'GET' && headers['sec-fetch-site'] === 'cross-site') return sendPage(reply, renderLinkPage(url));
      return reply.redirect(toSignInPath(method === 'GET' ? url : undefined), 303);
    });
    addInvitationPageRoutes(pages, portal);
    addSignInRoutes(pages, portal);
    addSignOutRoute(pages, portal);
    addProviderRoutes(pages, portal);
    addPortalAppRoutes(pages, portal);
    addAccountRoutes(pages, portal);
    addWayRoutes(pages, portal);
    addOwnSessionRoutes(pages, portal);
    addExportRoutes(pages, portal);
    addApprovalRoutes(pages, portal);
  });
}

/**
 * Renders a page for a link on another site, such as in a message. Browsers send the cookie only from a page of the
 * vault, such as this one.
 */
function renderLinkPage(url: string): string {
  const path = toPagePath(url);
  const body = html`<p><a href="${path}">Continue to the portal</a></p>`;
  return renderPortalPage({ title: 'Portal', body, continueTo: path });
}
