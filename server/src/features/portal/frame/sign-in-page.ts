import { type Html, html } from '../../../http/pages/html.ts';
import { icon } from '../../../http/pages/icon.ts';
import type { SignInDestination } from './sign-in-destination.ts';
import { renderAlert, renderHidden, renderPortalPage } from './portal-page.ts';

export interface SignInPage {
  readonly destination: SignInDestination;
  readonly alert?: string;
  /** True if the visitor has just set up a sign-in method. */
  readonly isReady?: boolean;
  /** The address from the previous attempt, if that failed. Secrets are not kept. */
  readonly email?: string;
  readonly passkey: PasskeyPrompt;
  /** The name of the OpenID provider, if there is one. */
  readonly providerName: string | undefined;
}

/** The data that a browser needs to ask for a passkey. */
export interface PasskeyPrompt {
  /** Options in the JSON form of WebAuthn. */
  readonly options: string;
  readonly sealed: string;
}

const signInForm = { action: '/portal/sign-in/passkey', kind: 'get', label: 'Sign in with a passkey' } as const;

export function renderSignInPage(page: SignInPage): string {
  const fields = { ...page.destination };
  return renderPortalPage({
    title: 'Sign in',
    body: html`${renderAlert(page.alert)}
${page.isReady === true ? html`<p class="banner good" role="status">${icon('check')}All set. Sign in with what you have just set up.</p>` : html``}
<section class="choices">
${renderPasskeyForm(signInForm, page.passkey, fields)}
${page.providerName === undefined ? html`` : renderProviderForm(page.providerName, fields)}
</section>
<h2 class="or">or with a password</h2>
${renderPasswordForm(page.email ?? '', fields)}
<p class="note">Lost your authenticator? Enter a recovery code in place of its code. Can't sign in? Ask your vault operator for a sign-in link.</p>`,
  });
}

/** Renders all steps. With scripts they are shown one after the other, and without scripts all at once. */
function renderPasswordForm(email: string, fields: Readonly<Record<string, string | undefined>>): Html {
  return html`<form method="post" action="/portal/sign-in" data-steps>
${renderHidden(fields)}
<fieldset class="field">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}">
</fieldset>
<fieldset class="field">
<p class="note" data-shows="email"></p>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200">
</fieldset>
<fieldset class="field">
<p class="note" data-shows="email"></p>
<label for="code">Code from your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="32">
</fieldset>
<button data-submit>Sign in</button>
<button type="button" class="ghost small steps-back" data-back hidden>Back</button>
</form>`;
}

/**
 * Renders a form for a passkey. The script of the page asks the browser for the passkey, puts the response into the
 * form and submits it.
 */
export function renderPasskeyForm(
  form: { readonly action: string; readonly kind: 'get' | 'create'; readonly label: string },
  { options, sealed }: PasskeyPrompt,
  fields: Readonly<Record<string, string | undefined>> = {},
  visible: Html = html``,
): Html {
  const { action, kind, label } = form;
  return html`<form method="post" action="${action}" data-passkey="${kind}" data-options="${options}">
${renderHidden({ ...fields, sealed, credential: '' })}
${visible}
<button class="main">${icon('fingerprint')}${label}</button>
<p class="banner bad" role="alert" hidden>The passkey could not be used. Try again, or sign in another way.</p>
</form>`;
}

function renderProviderForm(name: string, fields: Readonly<Record<string, string | undefined>>): Html {
  return html`<form method="post" action="/portal/sign-in/provider">
${renderHidden(fields)}
<button>${icon('building-2')}Sign in with ${name}</button>
</form>`;
}
