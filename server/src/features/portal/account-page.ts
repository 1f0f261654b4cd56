import { type Html, html } from '../../http/html.ts';
import type { NewAuthenticator } from './password-sign-in.ts';
import { renderQrCode } from './qr-code.ts';
import { renderAlert, renderHidden, renderPortalPage } from './portal-page.ts';
import { type PasskeyPrompt, renderPasskeyForm } from './sign-in-page.ts';
import {
  countUsableWays,
  type KnownPasskey,
  mayApproveExports,
  nameOf,
  type SignInWays,
  type UserSession,
} from './user.ts';
import { nameOfPasskey } from './way-page.ts';

export interface AccountPage {
  readonly session: UserSession;
  readonly ways: SignInWays;
  readonly passkey: PasskeyPrompt;
  readonly provider: { readonly name: string; readonly issuer: string } | undefined;
}

/** With so few left, the user is reminded. */
const fewCodes = 3;

const addForm = { action: '/portal/passkeys', kind: 'create', label: 'Add a passkey' } as const;

export function renderAccountPage({ session, ways, passkey, provider }: AccountPage): string {
  const isConnected = provider !== undefined && ways.issuers.includes(provider.issuer);
  const tenants = session.memberships.map(({ tenantName, role }) => html`<li>${tenantName} (${role})</li>`);
  return renderPortalPage({
    title: 'Your account',
    body: html`<p>You are signed in as <strong>${nameOf(session.user)}</strong>.</p>
${renderAlert(findConcern(ways, provider?.issuer))}
<h2>Tenants</h2>
<ul>
${tenants}
</ul>
${session.memberships.some(mayApproveExports) ? html`<p><a href="/portal/exports">Exports</a></p>` : html``}
<h2>Ways to sign in</h2>
<ul>
<li>Passkeys: ${ways.passkeys.length}</li>
<li>Password with authenticator app: ${ways.hasPassword ? `yes, ${countCodes(ways)} left` : 'no'}</li>
${provider === undefined ? html`` : html`<li>${provider.name}: ${isConnected ? 'connected' : 'not connected'}</li>`}
</ul>
${ways.passkeys.map(renderPasskey)}
${ways.issuers.map((issuer) => renderIdentity(issuer, provider))}
${renderPasskeyForm(addForm, passkey)}
<section>
<h2>Password</h2>
<form method="post" action="/portal/password/begin">
<button>${ways.hasPassword ? 'Change the password' : 'Set a password'}</button>
</form>
${ways.hasPassword ? renderRecoveryForm() : html``}
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
<p>You sign in with a password and a code from an authenticator app. Scan this with the app:</p>
${renderQrCode(uri, 'QR code for the authenticator app')}
<p>If the app is on this device, <a href="${uri}">open it with this link</a>. Or enter the key in the app: <code id="key">${secret}</code></p>
<form method="post" action="/portal/password">
${renderHidden({ sealed })}
<label for="password">New password, at least 12 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200">
<label for="code">Code from the app</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required pattern="[0-9]{6}" maxlength="6">
<button>Set the password</button>
</form>
<p><a href="/portal/account">Back</a></p>`,
  });
}

/** What the user should do something about; undefined if nothing. */
function findConcern(ways: SignInWays, issuer: string | undefined): string | undefined {
  if (countUsableWays(ways, issuer) === 0) {
    return 'Set up a way to sign in below. Otherwise you will need a new link next time.';
  }
  if (!ways.hasPassword || ways.recoveryCodes > fewCodes) return undefined;
  return `You have ${countCodes(ways)} left. Create new ones below.`;
}

function countCodes({ recoveryCodes }: SignInWays): string {
  return recoveryCodes === 1 ? '1 recovery code' : `${recoveryCodes} recovery codes`;
}

function renderPasskey(passkey: KnownPasskey): Html {
  return renderRemovalForm('/portal/passkeys/remove', { id: passkey.id }, nameOfPasskey(passkey));
}

function renderIdentity(issuer: string, provider: AccountPage['provider']): Html {
  const name = provider?.issuer === issuer ? provider.name : `${issuer} (not in use by this vault)`;
  return renderRemovalForm('/portal/provider/remove', { issuer }, name);
}

function renderRemovalForm(action: string, fields: Readonly<Record<string, string>>, name: string): Html {
  return html`<form method="post" action="${action}" class="row">
${renderHidden(fields)}
<span>${name}</span>
<button aria-label="Remove: ${name}">Remove</button>
</form>`;
}

function renderRecoveryForm(): Html {
  return html`<form method="post" action="/portal/recovery-codes">
<button>Create new recovery codes</button>
</form>`;
}

function renderConnectForm(name: string): Html {
  return html`<section>
<h2>${name}</h2>
<form method="post" action="/portal/provider">
<button>Connect ${name}</button>
</form>
</section>`;
}
