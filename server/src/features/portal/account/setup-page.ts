import { type Html, html } from '../../../http/pages/html.ts';
import { type AccountPage, renderPassword, renderUnconnected, signInDocs } from './account-page.ts';
import { hasWayAlready } from '../people/confined-session.ts';
import { renderFramedPage } from '../frame/framed-page.ts';
import { renderAlert, renderPortalPage } from '../frame/portal-page.ts';
import { renderPasskeyForm } from '../frame/sign-in-page.ts';
import { countUsableWays, nameOf } from '../people/user.ts';

const addForm = { action: '/portal/passkeys', kind: 'create', label: 'Set up a passkey' } as const;

/**
 * Renders the account page of a session that began with a link. It can set up the first sign-in method of its user, and
 * change nothing else about the account.
 */
export function renderSetupPage(page: AccountPage): string {
  const { session, ways, provider } = page;
  const tenants = session.memberships.filter(({ requiresWay }) => requiresWay).map(({ tenantName }) => tenantName);
  const hasWay = countUsableWays(ways, provider?.issuer) > 0;
  const others = session.memberships.length > tenants.length;
  const title = hasWay ? 'Sign in with your own way' : 'Set up a way to sign in';
  const body = html`<p>You followed a link as <strong>${nameOf(session.user)}</strong>.${tenants.length === 0 ? '' : html` In ${listOf(tenants)}, a link is not enough.`}</p>
${hasWay ? renderAlert(hasWayAlready) : renderChoices(page)}
<section>
<form method="post" action="/portal/sign-out">
<button${hasWay ? html` class="main"` : html``}>${hasWay ? 'Sign in' : 'Sign out'}</button>
</form>
</section>`;
  return others
    ? renderFramedPage({ session, path: '/portal/account', title, body, docs: signInDocs(page) })
    : renderPortalPage({ title, body });
}

function renderChoices({ session, ways, passkey, provider }: AccountPage): Html {
  if (!session.isFresh) {
    return renderAlert('Your link was used more than 15 minutes ago. Ask your vault operator for a new one.');
  }
  return html`<p>Choose one. You then sign in with it, and can add others.</p>
<section>
${renderPasskeyForm(addForm, passkey)}
<ul class="rows">
${renderPassword({ ...ways, hasPassword: false })}
${provider === undefined ? html`` : renderUnconnected(provider.name)}
</ul>
</section>`;
}

function listOf(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index === 0 ? '' : ', '}<strong>${name}</strong>`)}`;
}
