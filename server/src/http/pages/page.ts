import { type Html, html } from './html.ts';

export interface PageOptions {
  readonly title: string;
  readonly body: Html;
  /** A way out of the page, shown above it. */
  readonly back?: { readonly href: string; readonly label: string };
  /** For lists, which need more room than a form. */
  readonly isWide?: boolean;
  /** Path of the page's script. */
  readonly script?: string;
  /** Where the browser continues automatically. */
  readonly continueTo?: string;
}

/** The one frame of all pages for people: our style sheet in light and dark, and nothing from elsewhere. */
export function renderPage({ title, body, back, isWide, script, continueTo }: PageOptions): string {
  const refresh = continueTo === undefined ? html`` : html`<meta http-equiv="refresh" content="0; url=${continueTo}">`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh}
<title>${title} - Strongroom</title>
<link rel="icon" href="/portal/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/portal/assets/look.css">
<link rel="stylesheet" href="/portal/assets/portal.css">
${script === undefined ? html`` : html`<script src="${script}" defer></script>`}
</head>
<body${isWide === true ? html` class="wide"` : html``}>
<header class="top">
<a class="brand" href="/">Strongroom</a>
${back === undefined ? html`` : html`<a href="${back.href}">${back.label}</a>`}
</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return String(page);
}
