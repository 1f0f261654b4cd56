import { type Html, html } from './html.ts';
import { icon } from './icon.ts';
import { mark, watermark } from './mark.ts';

export interface PageOptions {
  readonly title: string;
  readonly body: Html;
  /** A link back, shown above the page. */
  readonly back?: { readonly href: string; readonly label: string };
  /** True for lists, which need more room than a form. */
  readonly isWide?: boolean;
  /** What signed-in people see around the page, such as its navigation. */
  readonly around?: { readonly before: Html };
  /** The path of the page's script. */
  readonly script?: string;
  /** The address to which the browser continues automatically. */
  readonly continueTo?: string;
}

/**
 * Renders the frame that all pages for people share, with the vault's style sheet in light and dark. It loads nothing
 * from elsewhere.
 */
export function renderPage(options: PageOptions): string {
  const { title, body, script, continueTo, around } = options;
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
${around === undefined ? html`` : html`<link rel="stylesheet" href="/portal/assets/frame.css">`}
${script === undefined ? html`` : html`<script src="${script}" defer></script>`}
</head>
${
  around === undefined
    ? renderAlone(options)
    : html`<body class="frame">
${around.before}
<main class="content" id="content">
<h1>${title}</h1>
${body}
</main>
</body>`
}
</html>
`;
  return String(page);
}

function renderAlone({ title, body, back, isWide }: PageOptions): Html {
  return html`<body${isWide === true ? html` class="wide"` : html``}>
${isWide === true ? html`` : watermark}
<main>
<div class="top">
<a class="brand" href="/">${mark} Strongroom</a>
${back === undefined ? html`` : html`<a class="back" href="${back.href}">${icon('arrow-left')} ${back.label}</a>`}
</div>
<h1>${title}</h1>
${body}
</main>
</body>`;
}
