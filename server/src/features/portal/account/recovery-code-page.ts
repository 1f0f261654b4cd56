import { html } from '../../../http/pages/html.ts';
import { renderPortalPage } from '../frame/portal-page.ts';

/** Renders the page that shows the codes, with a link to the next page. They are shown only once. */
export function renderRecoveryCodesPage(codes: readonly string[], next: string): string {
  return renderPortalPage({
    title: 'Your recovery codes',
    body: html`<p>If you lose your authenticator app, sign in with your password and one of these codes in place of the code from the app. Each works once.</p>
<p>Print them, or store them in a password manager. They are not shown again, and replace all earlier ones.</p>
<ul class="codes">
${codes.map((code) => html`<li><code>${code}</code></li>`)}
</ul>
<p><a class="button primary" href="${next}">Continue</a></p>`,
  });
}
