import { type Html, html } from '../../../http/pages/html.ts';
import { icon } from '../../../http/pages/icon.ts';
import { mark } from '../../../http/pages/mark.ts';
import { nameOf, type UserSession } from '../people/user.ts';
import { places } from './places.ts';
import { renderPortalPage } from './portal-page.ts';

interface FramedPage {
  readonly session: UserSession;
  /** The path of the page, which the navigation marks. */
  readonly path: string;
  readonly title: string;
  readonly body: Html;
  /** A link to the documentation. The address is undefined if the vault does not know where its documentation is. */
  readonly docs: { readonly url: string | undefined; readonly page: string; readonly about: string };
}

/** Renders a page for signed-in people with the navigation of the portal around it. It works without scripts. */
export function renderFramedPage({ session, path, title, body, docs }: FramedPage): string {
  const more =
    docs.url === undefined
      ? html``
      : html`<p class="note"><a href="${docs.url}${docs.page}/">Read about it: ${docs.about}</a></p>`;
  return renderPortalPage({ title, body: html`${body}${more}`, around: { before: renderSide(session, path) } });
}

function renderSide(session: UserSession, path: string): Html {
  const [only, ...others] = session.memberships;
  const tenant = only !== undefined && others.length === 0 ? only.tenantName : 'Your tenants';
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="topbar">
${mark}<b>${tenant}</b>
<button type="button" class="ghost" popovertarget="side" aria-label="Menu">${icon('menu')}</button>
</header>
<aside class="side" id="side" popover="auto" aria-label="Navigation">
<div class="side-card">${mark}<span><b>${tenant}</b></span></div>
<a class="button side-find" href="/portal/#find">${icon('search')}Find anything<kbd>Ctrl K</kbd></a>
<nav aria-label="Main">
${places.map(({ group, items }) => {
  const links = items.map(
    (one) =>
      html`<li><a href="${one.path}"${one.path === path ? html` aria-current="page"` : html``}>${icon(one.icon)}${one.label}</a></li>`,
  );
  return html`<div><p class="side-group" id="group-${group}">${group}</p><ul aria-labelledby="group-${group}">${links}</ul></div>`;
})}
</nav>
<div class="side-foot">
<ul><li><a href="/portal/account"${path === '/portal/account' ? html` aria-current="page"` : html``}>${icon('user-round')}${nameOf(session.user)}</a></li></ul>
</div>
</aside>`;
}
