import type { FastifyInstance } from 'fastify';
import { html } from '../../../http/pages/html.ts';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { addPortalFiles, addPortalPageHeaders, readPortalFiles } from '../../../http/pages/portal-files.ts';
import type { Portal } from '../visits/portal.ts';
import { renderPortalPage } from '../frame/portal-page.ts';
import { requireUsableSession } from '../visits/portal-session-routes.ts';
import { newTokenPath, portalAppPaths, portalKitPath } from '../frame/sign-in-destination.ts';

/**
 * Adds the portal application for signed-in users. It consists of static files that load all their data from
 * `/portal/api`.
 */
export function addPortalAppRoutes(app: FastifyInstance, portal: Portal): void {
  const built = readPortalFiles();
  if (built !== undefined) addPortalFiles(app, built);
  const page = built?.page ?? renderUnbuiltPage();
  const paths = [...portalAppPaths, ...(portal.place.isDevelopment ? [portalKitPath] : [])];
  for (const path of paths) {
    app.get(path, pageOptions, async (request, reply) => {
      await requireUsableSession(portal, request);
      if (built !== undefined)
        addPortalPageHeaders(reply, path === newTokenPath ? portal.place.elementsUrl : undefined);
      return sendPage(reply, page);
    });
  }
}

function renderUnbuiltPage(): string {
  return renderPortalPage({
    title: 'Portal',
    body: html`<p>The pages of the portal have not been built. Run <code>npm run build</code> and start the vault again.</p>
<p><a href="/portal/account">Your account</a></p>`,
  });
}
