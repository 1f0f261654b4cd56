import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { html } from '../../../http/pages/html.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { noteProblem } from '../../../http/requests/request-log.ts';
import type { Portal } from '../visits/portal.ts';
import { renderPortalPage } from '../frame/portal-page.ts';
import { findSession, originOf, setSessionCookie, signInOriginOf } from '../visits/portal-session-routes.ts';
import { type SignInDestination, toDestinationPath, toSignInDestination } from '../frame/sign-in-destination.ts';
import { renderSignInPage } from '../frame/sign-in-page.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';
import { nameOf, type ProvenUser } from '../people/user.ts';

interface LinkRoute {
  readonly Params: { readonly link: string };
}

interface SignInRoute {
  readonly Querystring: { readonly invitation?: unknown; readonly next?: unknown; readonly ready?: unknown };
}

export function addSignInRoutes(app: FastifyInstance, portal: Portal): void {
  app.get<SignInRoute>('/portal/sign-in', pageOptions, async (request, reply) => {
    const destination = toSignInDestination((name) => request.query[name]);
    if ((await findSession(portal, request)) !== undefined) return reply.redirect(toDestinationPath(destination), 303);
    return showSignIn(portal, reply, { destination, isReady: request.query.ready === 'true' });
  });

  app.post('/portal/sign-in', pageOptions, (request, reply) => {
    const field = formOf(request);
    const given = { email: field('email'), password: new Sensitive(field('password')), code: field('code') };
    return signIn(portal, { request, reply, email: given.email }, () =>
      portal.passwords.verify(given, originOf(request)),
    );
  });

  app.post('/portal/sign-in/passkey', pageOptions, (request, reply) => {
    const field = formOf(request);
    const given = { sealed: field('sealed'), credential: field('credential') };
    return signIn(portal, { request, reply }, () => portal.passkeys.complete(given, originOf(request)));
  });

  app.get<LinkRoute>('/portal/links/:link', pageOptions, async (request, reply) => {
    const user = await portal.links.find(request.params.link);
    if (user === undefined) throw noLivingLink();
    const body = html`<p>You will be signed in as <strong>${nameOf(user)}</strong>. This link works once.</p>
<form method="post" action="/portal/links/${request.params.link}">
<button class="main">Sign in</button>
</form>`;
    return sendPage(reply, renderPortalPage({ title: 'Sign in', body }));
  });

  app.post<LinkRoute>('/portal/links/:link', pageOptions, async (request, reply) => {
    const userId = await portal.links.take(request.params.link);
    if (userId === undefined) throw noLivingLink();
    setSessionCookie(
      portal,
      reply,
      await portal.sessions.start({ userId, provenSince: null }, signInOriginOf(request)),
    );
    return reply.redirect('/portal/', 303);
  });
}

/** Signs in the user that `prove` returns, and shows the page again on failure. */
async function signIn(
  portal: Portal,
  { request, reply, email }: { request: FastifyRequest; reply: FastifyReply; email?: string },
  prove: () => Promise<ProvenUser>,
): Promise<FastifyReply> {
  const destination = toSignInDestination(formOf(request));
  try {
    setSessionCookie(portal, reply, await portal.sessions.start(await prove(), signInOriginOf(request)));
    return reply.redirect(toDestinationPath(destination), 303);
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    noteRefusedSignIn(request, error);
    return showSignIn(portal, reply.code(error.status), {
      destination,
      alert: error.message,
      ...(email === undefined ? {} : { email }),
    });
  }
}

/** Counts a failed sign-in like a wrong key. The response is a page, but guessed passwords must still be noticed. */
export function noteRefusedSignIn(request: FastifyRequest, { status }: SignInRefused): void {
  if (status === 401) noteProblem(request, 'unauthenticated');
}

export async function showSignIn(
  portal: Portal,
  reply: FastifyReply,
  page: {
    readonly destination: SignInDestination;
    readonly alert?: string;
    readonly email?: string;
    readonly isReady?: boolean;
  },
): Promise<FastifyReply> {
  const passkey = await portal.passkeys.begin();
  return sendPage(reply, renderSignInPage({ ...page, passkey, providerName: portal.provider?.name }), reply.statusCode);
}

function noLivingLink(): DomainError {
  return new DomainError('not-found', 'This link is no longer valid. Ask your vault operator for a new one.');
}
