import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keysOf } from '../../core/objects/keys-of.ts';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import { type Html, html } from '../pages/html.ts';
import { renderPage } from '../pages/page.ts';
import { addPageAssets } from '../pages/page-assets.ts';
import { addTextPageHeaders, pageOptions, sendPage } from '../pages/page-reply.ts';
import { problemCatalog } from './problem-catalog.ts';

/** Serves a page about each error. The `type` of a problem points to it. */
export function addErrorPages(app: FastifyInstance): void {
  const codes = keysOf(problemCatalog);
  const pages = new Map<string, string>(codes.map((code) => [code, renderErrorPage(code)]));
  const index = renderIndex(codes);

  const options = {
    ...pageOptions,
    onRequest: (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      addTextPageHeaders(reply);
      done();
    },
  };

  addPageAssets(app);
  app.get('/docs/errors', options, (_request, reply) => sendPage(reply, index));
  app.get<{ Params: { code: string } }>('/docs/errors/:code', options, (request, reply) => {
    const page = pages.get(request.params.code);
    if (page === undefined) throw new DomainError('not-found', 'There is no error with this name.');
    return sendPage(reply, page);
  });
}

function renderErrorPage(code: ErrorCode): string {
  const { status, title, meaning, remedy } = problemCatalog[code];
  return renderPage({
    title: code,
    back: { href: '/docs/errors', label: 'All errors' },
    body: html`<p><strong>${status}</strong> ${title}</p>
<h2>What happened</h2>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(remedy)}</p>`,
  });
}

function renderIndex(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, meaning } = problemCatalog[code];
    return html`<dt><a href="/docs/errors/${code}">${code}</a> (${status})</dt>
<dd>${withCode(meaning)}</dd>`;
  });
  return renderPage({
    title: 'Errors',
    isWide: true,
    body: html`<dl>
${rows}
</dl>`,
  });
}

/** Marks text between backticks as code. Such text is a name in the API. */
function withCode(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
