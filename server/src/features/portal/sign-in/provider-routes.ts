import type { FastifyInstance, FastifyReply } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { html } from '../../../http/pages/html.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import type { Portal } from '../visits/portal.ts';
import { renderPortalPage } from '../frame/portal-page.ts';
import { originOf, requireSetupSession, setSessionCookie, signInOriginOf } from '../visits/portal-session-routes.ts';
import type { Journey, ProviderSignIn } from '../ways/provider-sign-in.ts';
import { readyToSignInPath, toDestinationPath, toSignInDestination } from '../frame/sign-in-destination.ts';
import { noteRefusedSignIn, showSignIn } from './sign-in-routes.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';

const nowhere = toSignInDestination(() => undefined);

/** The redirect URI to register at the provider. */
export const callbackPath = '/portal/sign-in/provider/callback';

export function addProviderRoutes(app: FastifyInstance, portal: Portal): void {
  app.post('/portal/sign-in/provider', pageOptions, async (request, reply) => {
    const destination = toSignInDestination(formOf(request));
    const provider = requireProvider(portal);
    return depart(portal, reply, () => provider.begin(destination));
  });

  app.post('/portal/provider', pageOptions, async (request, reply) => {
    const provider = requireProvider(portal);
    const session = await requireSetupSession(portal, request);
    return depart(portal, reply, () => provider.beginConnecting(session));
  });

  app.get(callbackPath, pageOptions, async (request, reply) => {
    const provider = requireProvider(portal);
    const sealed = portal.cookies.journey.read(request.headers.cookie);
    const query = request.url.split('?')[1] ?? '';
    const forget = portal.cookies.journey.remove();
    try {
      const { destination, isNew, endsSession, ...user } = await provider.complete(sealed, query, originOf(request));
      if (isNew) await portal.sessions.recordChange(user.userId, originOf(request));
      else setSessionCookie(portal, reply, await portal.sessions.start(user, signInOriginOf(request)));
      reply.header('set-cookie', forget);
      return goOn(reply, endsSession ? readyToSignInPath : toDestinationPath(destination));
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      noteRefusedSignIn(request, error);
      reply.header('set-cookie', forget);
      return showSignIn(portal, reply.code(error.status), { destination: nowhere, alert: error.message });
    }
  });
}

/**
 * Sends the browser to the provider through a page instead of a redirect, because browsers apply `form-action` to
 * redirects too.
 */
async function depart(portal: Portal, reply: FastifyReply, begin: () => Promise<Journey>): Promise<FastifyReply> {
  try {
    const { url, sealed } = await begin();
    reply.header('set-cookie', portal.cookies.journey.write(sealed));
    const { name } = requireProvider(portal);
    const body = html`<p><a href="${url}" class="button main">Continue to ${name}</a></p>`;
    return sendPage(reply, renderPortalPage({ title: `Continue to ${name}`, body, continueTo: url }));
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    return showSignIn(portal, reply.code(error.status), { destination: nowhere, alert: error.message });
  }
}

/**
 * Continues through a page instead of a redirect, because the session cookie would not be sent after a redirect from
 * another site.
 */
function goOn(reply: FastifyReply, destination: string): FastifyReply {
  const body = html`<p><a href="${destination}" class="button main">Continue</a></p>`;
  return sendPage(reply, renderPortalPage({ title: 'Signed in', body, continueTo: destination }));
}

function requireProvider({ provider }: Portal): ProviderSignIn {
  if (provider === undefined) throw new DomainError('not-found', 'This vault has no OpenID provider configured.');
  return provider;
}
