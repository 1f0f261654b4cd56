import { html } from '../../../http/pages/html.ts';
import { icon } from '../../../http/pages/icon.ts';
import { renderPortalPage } from '../frame/portal-page.ts';

/**
 * Renders the page that shows the codes, with a link to the next page. They are shown only once, so leaving in another
 * way asks first.
 */
export function renderRecoveryCodesPage(codes: readonly string[], next: string): string {
  return renderPortalPage({
    title: 'Your recovery codes',
    body: html`<p>If you lose your authenticator app, sign in with your password and one of these codes in place of the code from the app. Each works once.</p>
<p>Store them in a password manager, or print them. They are not shown again, and replace all earlier ones.</p>
<ul class="codes" id="codes">
${codes.map((code) => html`<li><code>${code}</code></li>`)}
</ul>
<div class="actions">
<button type="button" data-copies="codes" hidden>${icon('copy')}<span>Copy</span></button>
<button type="button" data-downloads="codes" data-file="strongroom-recovery-codes.txt" hidden>${icon('download')}Download</button>
</div>
<p><a class="button main" href="${next}" data-confirms>I have stored them</a></p>`,
  });
}
