import { type Html, html } from '../../http/html.ts';
import { renderAlert, renderHidden, renderPortalPage } from './portal-page.ts';

export interface SignInPage {
  /** The invitation to accept afterwards. */
  readonly invitation: string | undefined;
  readonly alert?: string;
  /** The previous input after a mistake, except secrets. */
  readonly email?: string;
  readonly passkey: PasskeyPrompt;
  /** Name of the OpenID provider, if there is one. */
  readonly providerName: string | undefined;
}

/** What a browser needs to ask for a passkey. */
export interface PasskeyPrompt {
  /** Options in the JSON form of WebAuthn. */
  readonly options: string;
  readonly sealed: string;
}

const signInForm = { action: '/portal/sign-in/passkey', kind: 'get', label: 'Sign in with a passkey' } as const;

export function renderSignInPage(page: SignInPage): string {
  const { invitation } = page;
  return renderPortalPage({
    title: 'Sign in',
    body: html`${renderAlert(page.alert)}
${renderPasskeyForm(signInForm, page.passkey, { invitation })}
${page.providerName === undefined ? html`` : renderProviderForm(page.providerName, invitation)}
<section>
<h2>Password</h2>
<form method="post" action="/portal/sign-in">
${renderHidden({ invitation })}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${page.email ?? ''}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200">
<label for="code">Code from your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="32">
<button>Sign in</button>
</form>
</section>
<p>Can't sign in? Ask your vault operator for a sign-in link.</p>`,
  });
}

/** The script of the page asks the browser for the passkey, puts the response into the form and submits it. */
export function renderPasskeyForm(
  form: { readonly action: string; readonly kind: 'get' | 'create'; readonly label: string },
  { options, sealed }: PasskeyPrompt,
  fields: Readonly<Record<string, string | undefined>> = {},
): Html {
  const { action, kind, label } = form;
  return html`<section>
<h2>Passkey</h2>
<form method="post" action="${action}" data-passkey="${kind}" data-options="${options}">
${renderHidden({ ...fields, sealed, credential: '' })}
<button>${label}</button>
<p class="alert" role="alert" hidden>The passkey could not be used. Try again, or sign in another way.</p>
</form>
</section>`;
}

function renderProviderForm(name: string, invitation: string | undefined): Html {
  return html`<section>
<h2>${name}</h2>
<form method="post" action="/portal/sign-in/provider">
${renderHidden({ invitation })}
<button>Sign in with ${name}</button>
</form>
</section>`;
}
