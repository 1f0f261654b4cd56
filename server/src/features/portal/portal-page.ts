import { type Html, html } from '../../http/html.ts';

export interface PageOptions {
  readonly title: string;
  readonly body: Html;
  /** Where the browser continues automatically. */
  readonly continueTo?: string;
}

/** Only our own style sheet and script; no framing, and forms only to our own origin. */
export const contentSecurityPolicy = [
  `default-src 'none'`,
  `style-src 'self'`,
  `script-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

export function renderPortalPage({ title, body, continueTo }: PageOptions): string {
  const refresh = continueTo === undefined ? html`` : html`<meta http-equiv="refresh" content="0; url=${continueTo}">`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh}
<title>${title} - Strongroom</title>
<link rel="stylesheet" href="/portal/assets/portal.css">
<script src="/portal/assets/portal.js" defer></script>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return String(page);
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
