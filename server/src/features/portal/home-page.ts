import { type Html, html } from '../../http/html.ts';
import type { NewAuthenticator } from './password-sign-in.ts';
import { renderAlert, renderHidden, renderPortalPage } from './portal-page.ts';
import { type PasskeyPrompt, renderPasskeyForm } from './sign-in-page.ts';
import { mayApproveExports, nameOf, type SignInWays, type UserSession } from './user.ts';

export interface HomePage {
  readonly session: UserSession;
  readonly ways: SignInWays;
  readonly passkey: PasskeyPrompt;
  readonly provider: { readonly name: string; readonly issuer: string } | undefined;
}

const addForm = { action: '/portal/passkeys', kind: 'create', label: 'Add a passkey' } as const;

export function renderHomePage({ session, ways, passkey, provider }: HomePage): string {
  const isConnected = provider !== undefined && ways.issuers.includes(provider.issuer);
  const hasWay = ways.hasPassword || ways.passkeys > 0 || ways.issuers.length > 0;
  const tenants = session.memberships.map(({ tenantName, role }) => html`<li>${tenantName} (${role})</li>`);
  return renderPortalPage({
    title: 'Your account',
    body: html`<p>You are signed in as <strong>${nameOf(session.user)}</strong>.</p>
${renderAlert(hasWay ? undefined : 'Set up a way to sign in below. Otherwise you will need a new link next time.')}
<h2>Tenants</h2>
<ul>
${tenants}
</ul>
${session.memberships.some(mayApproveExports) ? html`<p><a href="/portal/exports">Exports</a></p>` : html``}
<h2>Ways to sign in</h2>
<ul>
<li>Passkeys: ${ways.passkeys}</li>
<li>Password with authenticator app: ${ways.hasPassword ? 'yes' : 'no'}</li>
${provider === undefined ? html`` : html`<li>${provider.name}: ${isConnected ? 'connected' : 'not connected'}</li>`}
</ul>
${renderPasskeyForm(addForm, passkey)}
<section>
<h2>Password</h2>
<form method="post" action="/portal/password/begin">
<button>${ways.hasPassword ? 'Change the password' : 'Set a password'}</button>
</form>
</section>
${provider === undefined || isConnected ? html`` : renderConnectForm(provider.name)}
<section>
<form method="post" action="/portal/sign-out">
<button>Sign out</button>
</form>
</section>`,
  });
}

export function renderPasswordPage(authenticator: NewAuthenticator, alert?: string): string {
  const { secret, uri, sealed } = authenticator;
  return renderPortalPage({
    title: 'Set a password',
    body: html`${renderAlert(alert)}
<p>You sign in with a password and a code from an authenticator app. Open this link on the device with the app, or enter the key in the app:</p>
<p><a href="${uri}">Open the authenticator app</a></p>
<p>Key: <code id="key">${secret}</code></p>
<form method="post" action="/portal/password">
${renderHidden({ sealed })}
<label for="password">New password, at least 12 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200">
<label for="code">Code from the app</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required pattern="[0-9]{6}" maxlength="6">
<button>Set the password</button>
</form>
<p><a href="/portal/">Back</a></p>`,
  });
}

function renderConnectForm(name: string): Html {
  return html`<section>
<h2>${name}</h2>
<form method="post" action="/portal/provider">
<button>Connect ${name}</button>
</form>
</section>`;
}
