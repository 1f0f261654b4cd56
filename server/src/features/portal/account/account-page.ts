import { counted } from '../../../core/text/counted.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import type { NewAuthenticator } from '../ways/password-sign-in.ts';
import { renderQrCode } from './qr-code.ts';
import { renderFramedPage } from '../frame/framed-page.ts';
import { backToAccount, renderAlert, renderHidden, renderPortalPage } from '../frame/portal-page.ts';
import { type PasskeyPrompt, renderPasskeyForm } from '../frame/sign-in-page.ts';
import {
  countUsableWays,
  type KnownPasskey,
  mayApprove,
  nameOf,
  type SignInWays,
  type UserSession,
} from '../people/user.ts';
import type { OwnSession } from '../people/own-session-store.ts';
import { renderOwnSessions } from './own-session-list.ts';
import { lacksProvider } from '../people/confined-session.ts';
import { describePasskey, describeUse, nameOfPasskey, passkeyNameField } from './way-page.ts';

export interface AccountPage {
  readonly session: UserSession;
  readonly ways: SignInWays;
  readonly sessions: readonly OwnSession[];
  readonly passkey: PasskeyPrompt;
  readonly provider: { readonly name: string; readonly issuer: string } | undefined;
  readonly documentationUrl: string | undefined;
}

/** The page of the documentation about signing in. */
export function signInDocs({ documentationUrl }: Pick<AccountPage, 'documentationUrl'>) {
  return { url: documentationUrl, page: 'operate/members', about: 'Members, sign-in and mail' };
}

/** The number of remaining codes at which the user is reminded. */
const fewCodes = 3;

const roleNames = { OWNER: 'Owner', ADMIN: 'Admin', READ_ONLY: 'Read only' } as const;

const addForm = { action: '/portal/passkeys', kind: 'create', label: 'Add a passkey' } as const;

export function renderAccountPage(page: AccountPage): string {
  const { session, ways, sessions, passkey, provider } = page;
  const isConnected = provider !== undefined && ways.issuers.includes(provider.issuer);
  const tenants = session.memberships.map(
    ({ tenantName, role, deletedAt }) =>
      html`<li><span>${tenantName}</span> <span class="note">${roleNames[role]}${deletedAt === null ? '' : ', deleted'}</span></li>`,
  );
  return renderFramedPage({
    session,
    path: '/portal/account',
    title: 'Your account',
    docs: signInDocs(page),
    body: html`<p>You are signed in as <strong>${nameOf(session.user)}</strong>.</p>
${renderAlert(findConcern(session, ways, provider))}
<section>
<h2>Your name</h2>
<form method="post" action="/portal/account/name" class="line-form">
<label class="field" for="name"><span class="note">Members of your tenants see it. Without one, they see your e-mail address.</span>
<input id="name" name="name" autocomplete="name" maxlength="60" value="${session.user.name ?? ''}" aria-label="Your name"></label>
<button>Save the name</button>
</form>
</section>
<section>
<h2>Ways to sign in</h2>
<ul class="rows">
${ways.passkeys.map(renderPasskey)}
${renderPassword(ways)}
${ways.issuers.map((issuer) => renderIdentity(issuer, provider))}
${provider === undefined || isConnected ? html`` : renderUnconnected(provider.name)}
</ul>
${renderPasskeyForm(addForm, passkey, {}, passkeyNameField)}
</section>
${renderOwnSessions(sessions, session.id)}
<section>
<h2>Tenants</h2>
<ul class="rows">
${tenants}
</ul>
${
  session.memberships.some(mayApprove)
    ? html`<p><a href="/portal/approvals">Changes that need approval</a></p>
<p><a href="/portal/exports">Exports that need approval</a></p>`
    : html``
}
</section>
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
    back: backToAccount,
    body: html`${renderAlert(alert)}
<p>You sign in with a password and a code from an authenticator app. Scan this with the app:</p>
${renderQrCode(uri, 'QR code for the authenticator app')}
<p class="note">If the app is on this device, <a href="${uri}">open it with this link</a>. Or enter the key in the app: <code id="key">${secret}</code></p>
<form method="post" action="/portal/password">
${renderHidden({ sealed })}
<div class="field">
<label for="password">New password, at least 12 characters with letters and digits</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200">
</div>
<div class="field">
<label for="code">Code from the app</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required pattern="[0-9]{6}" maxlength="6">
</div>
<button class="main">Set the password</button>
</form>`,
  });
}

/** Returns a problem that the user should act on, or undefined if there is none. */
function findConcern(session: UserSession, ways: SignInWays, provider: AccountPage['provider']): string | undefined {
  const issuer = provider?.issuer;
  const closed = session.memberships.filter((one) => lacksProvider(session, one)).map(({ tenantName }) => tenantName);
  if (closed.length > 0) {
    const connects = issuer === undefined || ways.issuers.includes(issuer) ? '' : 'connect it below, ';
    const name = provider?.name ?? 'the OpenID provider';
    return `${closed.join(', ')} can only be used after signing in with ${name}: ${connects}sign out, and sign in with it.`;
  }
  if (session.hasWeakPassword) {
    const where = session.memberships.some(({ requiresWay }) => requiresWay) ? ' to use the portal' : '';
    return `Your password does not have both letters and digits. Change it below${where}.`;
  }
  if (countUsableWays(ways, issuer) === 0) {
    return 'Set up a way to sign in below. Otherwise you will need a new link next time.';
  }
  if (!ways.hasPassword || ways.recoveryCodes > fewCodes) return undefined;
  return `You have ${counted(ways.recoveryCodes, 'recovery code')} left. Create new ones below.`;
}

function renderPasskey(passkey: KnownPasskey): Html {
  const removal = { action: '/portal/passkeys/remove', fields: { id: passkey.id }, name: describePasskey(passkey) };
  return renderWay(
    { name: nameOfPasskey(passkey), note: `passkey, ${describeUse(passkey)}` },
    renderRemovalForm(removal),
  );
}

export function renderPassword(ways: SignInWays): Html {
  const note = ways.hasPassword
    ? `with an authenticator app, ${counted(ways.recoveryCodes, 'recovery code')} left`
    : 'not set';
  const change = html`<form method="post" action="/portal/password/begin">
<button>${ways.hasPassword ? 'Change the password' : 'Set a password'}</button>
</form>`;
  const renewal = html`<form method="post" action="/portal/recovery-codes">
<button>Create new recovery codes</button>
</form>`;
  return renderWay({ name: 'Password', note }, ways.hasPassword ? html`${change}${renewal}` : change);
}

function renderIdentity(issuer: string, provider: AccountPage['provider']): Html {
  const isInUse = provider?.issuer === issuer;
  const name = isInUse ? provider.name : `${issuer} (not in use by this vault)`;
  const removal = { action: '/portal/provider/remove', fields: { issuer }, name };
  return renderWay({ name, note: isInUse ? 'connected' : 'connected earlier' }, renderRemovalForm(removal));
}

export function renderUnconnected(name: string): Html {
  const form = html`<form method="post" action="/portal/provider">
<button>Connect ${name}</button>
</form>`;
  return renderWay({ name, note: 'not connected' }, form);
}

/** Renders a list item with the name of a sign-in method, its state and its actions. */
function renderWay({ name, note }: { readonly name: string; readonly note: string }, actions: Html): Html {
  return html`<li><div><span>${name}</span> <span class="note">${note}</span></div>
<div class="actions">${actions}</div></li>`;
}

function renderRemovalForm(removal: {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly name: string;
}): Html {
  return html`<form method="post" action="${removal.action}">
${renderHidden(removal.fields)}
<button aria-label="Remove: ${removal.name}">Remove</button>
</form>`;
}
