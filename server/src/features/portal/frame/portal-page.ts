import { type Html, html } from '../../../http/pages/html.ts';
import { type PageOptions, renderPage } from '../../../http/pages/page.ts';

/** Renders a page that includes the script for passkeys. */
export function renderPortalPage(page: Omit<PageOptions, 'script'>): string {
  return renderPage({ ...page, script: '/portal/assets/portal.js' });
}

/** The link back from a page about one sign-in method. */
export const backToAccount = { href: '/portal/account', label: 'Back to your account' } as const;

/** Renders a time such as `2026-05-04 12:30 UTC`, with the exact time in machine-readable form. */
export function renderTime(time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${toMinute(time)}</time>`;
}

export function toMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Renders an alert, which screen readers announce immediately. */
export function renderAlert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="banner bad" role="alert">${message}</p>`;
}

export function renderHidden(fields: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

export function renderMessagePage(title: string, message: string): string {
  return renderPortalPage({
    title,
    body: html`<p>${message}</p>
<p><a class="button main" href="/portal/">Go to the portal</a></p>`,
  });
}
