import type { FastifyInstance } from 'fastify';
import { addFormParser } from '../../http/form-body.ts';
import { addFormPageHeaders, addPageAsset } from '../../http/page-reply.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';
import { addAccountRoutes } from './account-routes.ts';
import { addExportRoutes } from './export-routes.ts';
import { addInvitationPageRoutes } from './invitation-page-routes.ts';
import type { Portal } from './portal.ts';
import { addPortalAppRoutes } from './portal-app-routes.ts';
import { addSignOutRoute, NotSignedIn } from './portal-session-routes.ts';
import { addProviderRoutes } from './provider-routes.ts';
import { toSignInPath } from './sign-in-destination.ts';
import { addSignInRoutes } from './sign-in-routes.ts';
import { addWayRoutes } from './way-routes.ts';

/** The pages under `/portal/`: accepting an invitation and signing in. They work without scripts, except for passkeys. */
export function addPortalRoutes(app: FastifyInstance, portal: Portal): void {
  void app.register(async (pages) => {
    addFormParser(pages);
    pages.addHook('onRequest', async (request, reply) => {
      addFormPageHeaders(reply);
      if (request.method === 'POST') requireSameOrigin(request, portal.publicUrl);
    });
    // Everything else is shown and logged in the central place.
    pages.setErrorHandler((error, { method, url }, reply) => {
      if (error instanceof NotSignedIn) return reply.redirect(toSignInPath(method === 'GET' ? url : undefined), 303);
      throw error;
    });
    addPageAsset(pages, 'portal.js', 'text/javascript; charset=utf-8');
    addInvitationPageRoutes(pages, portal);
    addSignInRoutes(pages, portal);
    addSignOutRoute(pages, portal);
    addProviderRoutes(pages, portal);
    addPortalAppRoutes(pages, portal);
    addAccountRoutes(pages, portal);
    addWayRoutes(pages, portal);
    addExportRoutes(pages, portal);
  });
}
