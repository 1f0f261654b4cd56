import { type Html, html } from '../../http/html.ts';
import { type PageOptions, renderPage } from '../../http/page.ts';

/** A page with the script for passkeys. */
export function renderPortalPage(page: Omit<PageOptions, 'script'>): string {
  return renderPage({ ...page, script: '/portal/assets/portal.js' });
}

/** Announced immediately by screen readers. */
export function renderAlert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="alert" role="alert">${message}</p>`;
}

export function renderHidden(fields: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

/** A page with a single message. */
export function renderMessagePage(title: string, message: string): string {
  return renderPortalPage({
    title,
    body: html`<p>${message}</p>
<p><a href="/portal/">Go to the portal</a></p>`,
  });
}
