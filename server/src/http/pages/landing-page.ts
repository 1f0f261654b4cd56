import type { FastifyInstance } from 'fastify';
import { addDocumentationSite, documentationPath, type DocumentationSite } from './documentation-site.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './page.ts';
import { addTextPageHeaders, pageOptions, sendPage } from './page-reply.ts';

export interface LandingLink {
  readonly href: string;
  readonly label: string;
  /** A sentence about the linked page. */
  readonly about: string;
}

/** The additional content of the page in a development vault. */
export interface DevelopmentLanding {
  /** Returns the links. It is called for every page, because some addresses are known only when the server listens. */
  readonly links: () => readonly LandingLink[];
  readonly site: DocumentationSite;
}

/**
 * Serves a page at `/` that tells visitors what this server is. It is the same for everybody, without version, tenant
 * or secret.
 */
export function addLandingPage(
  app: FastifyInstance,
  { servesReference, development }: { servesReference: boolean; development: DevelopmentLanding | undefined },
): void {
  const usual = listUsualLinks(servesReference);
  app.get('/', pageOptions, (_request, reply) => {
    addTextPageHeaders(reply);
    return sendPage(reply, renderLandingPage(usual, development));
  });
  if (isBuilt(development)) addDocumentationSite(app, development.site);
}

function listUsualLinks(servesReference: boolean): LandingLink[] {
  const reference = { href: '/docs', label: 'API reference', about: 'Every operation of this vault.' };
  return [
    ...(servesReference ? [reference] : []),
    { href: '/docs/errors', label: 'Errors', about: 'What each error means and what to do about it.' },
    { href: '/portal/', label: 'Portal', about: 'Where members sign in.' },
  ];
}

function renderLandingPage(usual: readonly LandingLink[], development: DevelopmentLanding | undefined): string {
  return renderPage({
    title: 'Strongroom',
    body: html`<p>This is a vault. It stores cards, bank accounts and personal data, and gives out tokens in their place.</p>
${renderLinks(usual)}
${development === undefined ? html`` : renderDevelopment(development)}`,
  });
}

function isBuilt(development: DevelopmentLanding | undefined): development is DevelopmentLanding {
  return development !== undefined && development.site.size > 0;
}

function renderDevelopment(development: DevelopmentLanding): Html {
  const documentation = {
    href: documentationPath,
    label: 'Documentation',
    about: 'Guides, concepts, operation, security and reference, with search.',
  };
  return html`<section>
<h2>For development only</h2>
<p class="banner">Never store real cards here.</p>
<p>Keys, the sign-in link and lines to paste are in the terminal that runs <code>strongroom dev</code>.</p>
${renderLinks([...(isBuilt(development) ? [documentation] : []), ...development.links()])}
${
  isBuilt(development)
    ? html``
    : html`<p>The documentation is in the folder <code>docs</code> of the repository. To read it here, run <code>npm run docs</code> and restart.</p>`
}
</section>`;
}

function renderLinks(links: readonly LandingLink[]): Html {
  const items = links.map(
    ({ href, label, about }) => html`<dt><a href="${href}">${label}</a></dt>
<dd>${about}</dd>`,
  );
  return html`<dl class="links">
${items}
</dl>`;
}
