import { html } from '../../../http/pages/html.ts';
import type { OfferedInvitation } from '../people/invitation-acceptance.ts';
import { renderMessagePage, renderPortalPage, toMinute } from '../frame/portal-page.ts';

/** Shows the inviter, the tenant and the role before the invitation can be accepted. */
export function renderInvitationPage(offer: OfferedInvitation, link: string): string {
  const { details, needsSignIn } = offer;
  if (details.status === 'EXPIRED') {
    return renderMessagePage('The invitation has expired', 'Ask the person who invited you to send a new invitation.');
  }
  const next = needsSignIn
    ? html`<p>You already have an account with this e-mail address. Sign in to accept.</p>
<p><a class="button main" href="/portal/sign-in?invitation=${link}">Sign in to accept</a></p>`
    : html`<form method="post" action="/portal/invitations/${link}">
<button class="main">Accept the invitation</button>
</form>
<p class="note">If you were not expecting this invitation, close this page.</p>`;
  return renderPortalPage({
    title: `Invitation to ${details.tenantName}`,
    body: html`<dl class="facts">
<dt>Tenant</dt><dd>${details.tenantName}</dd>
<dt>Invited by</dt><dd>${details.inviter ?? 'a vault operator'}</dd>
<dt>Your role</dt><dd>${details.role}</dd>
<dt>Your e-mail address</dt><dd>${details.email}</dd>
<dt>Valid until</dt><dd>${toMinute(details.expiresAt)}</dd>
</dl>
${next}`,
  });
}
