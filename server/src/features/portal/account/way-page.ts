import { html } from '../../../http/pages/html.ts';
import { backToAccount, renderAlert, renderHidden, renderPortalPage, toMinute } from '../frame/portal-page.ts';
import type { KnownPasskey, SignInWay } from '../people/user.ts';

/**
 * The values that the form sends: a confirmation, or a confirmation after the warning that this is the last sign-in
 * method.
 */
export const confirmations = { removal: 'removal', lastRemoval: 'last-removal' } as const;

const pages = {
  passkey: {
    title: 'Remove a passkey',
    button: 'Remove the passkey',
    text: 'Once removed, the passkey can no longer be used to sign in. Delete it from your device as well.',
    action: '/portal/passkeys/remove',
  },
  provider: {
    title: 'Disconnect a provider',
    button: 'Disconnect the provider',
    text: 'Once disconnected, your account with the provider can no longer be used to sign in.',
    action: '/portal/provider/remove',
  },
} as const;

/**
 * Renders the page that asks for confirmation before a sign-in method is removed. It warns if the method is the last
 * one.
 */
export function renderRemovalPage(way: SignInWay, { isLast, name }: { isLast: boolean; name: string }): string {
  const { title, button, text, action } = pages[way.kind];
  const fields = way.kind === 'passkey' ? { id: way.id } : { issuer: way.issuer };
  const warning =
    'This is your only way to sign in. Without it, you need a sign-in link from your vault operator. Add another way first.';
  return renderPortalPage({
    title,
    back: backToAccount,
    body: html`${renderAlert(isLast ? warning : undefined)}
<p><strong>${name}</strong></p>
<p>${text} You are signed out everywhere else.</p>
<form method="post" action="${action}">
${renderHidden({ ...fields, confirmed: isLast ? confirmations.lastRemoval : confirmations.removal })}
<button class="warns">${isLast ? `${button} nevertheless` : button}</button>
</form>`,
  });
}

/** The field for the name of a new passkey. */
export const passkeyNameField = html`<div class="field">
<label for="passkey-name">Name of a new passkey, such as where it is kept (optional)</label>
<input id="passkey-name" name="name" maxlength="60" autocomplete="off">
</div>`;

export function nameOfPasskey({ name }: KnownPasskey): string {
  return name ?? 'Passkey';
}

export function describePasskey(passkey: KnownPasskey): string {
  return `${nameOfPasskey(passkey)}, ${describeUse(passkey)}`;
}

/** Returns a text such as `added 2026-05-04 12:30 UTC, never used`. */
export function describeUse({ createdAt, lastUsedAt }: KnownPasskey): string {
  const use = lastUsedAt === null ? 'never used' : `last used ${toMinute(lastUsedAt)}`;
  return `added ${toMinute(createdAt)}, ${use}`;
}
