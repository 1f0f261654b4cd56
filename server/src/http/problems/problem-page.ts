import type { FastifyRequest } from 'fastify';
import { partOfElements } from '../origins/elements-origin.ts';
import { html } from '../pages/html.ts';
import { renderPage } from '../pages/page.ts';
import type { Problem } from './problem.ts';

const portal = '/portal';
const portalApi = '/portal/api';
const documentation = '/docs';

/**
 * Returns true if a person sees the response in a browser. The portal and the documentation serve pages, and all other
 * paths are for programs.
 */
export function isForPeople({ url, raw }: FastifyRequest): boolean {
  if (partOfElements(raw) !== undefined) return false;
  return (isBelow(portal, url) && !isBelow(portalApi, url)) || isBelow(documentation, url);
}

/** Renders a problem as a page. */
export function renderProblemPage({ title, detail, trace_id }: Problem, { url }: FastifyRequest): string {
  const wayOn = isBelow(portal, url)
    ? html`<a class="button" href="/portal/">Go to the portal</a>`
    : html`<a class="button" href="/docs/errors">All errors</a>`;
  return renderPage({
    title,
    body: html`<p>${detail}</p>
<p>${wayOn}</p>
<p class="note">Trace id: <code>${trace_id}</code></p>`,
  });
}

function isBelow(prefix: string, url: string): boolean {
  return url.startsWith(prefix) && ['/', '?', undefined].includes(url[prefix.length]);
}
