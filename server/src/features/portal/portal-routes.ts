import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { addFormParser } from '../../http/form-body.ts';
import { pageOptions, sendPage } from '../../http/page-reply.ts';
import { problemCatalog } from '../../http/problem-catalog.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';
import { addAccountRoutes } from './account-routes.ts';
import { addExportRoutes } from './export-routes.ts';
import { addInvitationPageRoutes } from './invitation-page-routes.ts';
import type { Portal } from './portal.ts';
import { contentSecurityPolicy, renderMessagePage } from './portal-page.ts';
import { addSignOutRoute, NotSignedIn } from './portal-session-routes.ts';
import { addProviderRoutes } from './provider-routes.ts';
import { addSignInRoutes } from './sign-in-routes.ts';

/** The pages under `/portal/`: accepting an invitation and signing in. They work without scripts, except for passkeys. */
export function addPortalRoutes(app: FastifyInstance, portal: Portal): void {
  void app.register(async (pages) => {
    addFormParser(pages);
    pages.addHook('onRequest', async (request, reply) => {
      addPageHeaders(reply);
      if (request.method === 'POST') requireSameOrigin(request, portal.publicUrl);
    });
    pages.setErrorHandler((error, _request, reply) => {
      if (error instanceof NotSignedIn) return reply.redirect('/portal/sign-in', 303);
      // Internal errors are logged and handled in the central place.
      if (!(error instanceof DomainError) || problemCatalog[error.code].status >= 500) throw error;
      const { status, title } = problemCatalog[error.code];
      return sendPage(reply, renderMessagePage(title, error.message), status);
    });
    addAssetRoutes(pages);
    addInvitationPageRoutes(pages, portal);
    addSignInRoutes(pages, portal);
    addSignOutRoute(pages, portal);
    addProviderRoutes(pages, portal);
    addAccountRoutes(pages, portal);
    addExportRoutes(pages, portal);
  });
}

function addPageHeaders(reply: FastifyReply): void {
  reply.header('content-security-policy', contentSecurityPolicy);
  reply.header('x-frame-options', 'DENY');
  reply.header('cross-origin-opener-policy', 'same-origin');
  // Links are secrets: no other site may learn them from a referrer.
  reply.header('referrer-policy', 'same-origin');
  reply.removeHeader('access-control-allow-origin');
}

function addAssetRoutes(app: FastifyInstance): void {
  for (const [file, type] of [
    ['portal.css', 'text/css; charset=utf-8'],
    ['portal.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    // `assets/` is next to `src/` and `dist/`, so the same path works for both.
    const text = readFileSync(new URL(`../../../assets/${file}`, import.meta.url), 'utf8');
    app.get(`/portal/assets/${file}`, pageOptions, (_request, reply) => reply.type(type).send(text));
  }
}
