import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keysOf } from '../core/objects/keys-of.ts';
import { DomainError, type ErrorCode } from '../core/errors/domain-error.ts';
import { escapeHtml } from './html.ts';
import { problemCatalog } from './problem-catalog.ts';

/** Serves a page about each error, which the `type` of a problem points to. */
export function addErrorPages(app: FastifyInstance): void {
  const pages = new Map<string, string>(keysOf(problemCatalog).map((code) => [code, renderPage(code)]));
  const options = { config: { permission: 'public' }, schema: { hide: true }, onRequest: addPageHeaders } as const;

  app.get('/docs/errors', options, (_request, reply) => reply.type('text/html; charset=utf-8').send(renderIndex()));
  app.get<{ Params: { code: string } }>('/docs/errors/:code', options, (request, reply) => {
    const page = pages.get(request.params.code);
    if (page === undefined) throw new DomainError('not-found', 'There is no error with this name.');
    return reply.type('text/html; charset=utf-8').send(page);
  });
}

/** Text and links only. */
function addPageHeaders(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header(
    'content-security-policy',
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  reply.header('x-frame-options', 'DENY');
  reply.header('referrer-policy', 'no-referrer');
  done();
}

function renderPage(code: ErrorCode): string {
  const { status, title, meaning, remedy } = problemCatalog[code];
  return renderDocument(
    code,
    `<h1>${code}</h1>
<p><strong>${status}</strong> ${escapeHtml(title)}</p>
<h2>What happened</h2>
<p>${escapeHtml(meaning)}</p>
<h2>What to do</h2>
<p>${escapeHtml(remedy)}</p>
<p><a href="/docs/errors">All errors</a></p>`,
  );
}

function renderIndex(): string {
  const rows = Object.entries(problemCatalog).map(
    ([code, { status, meaning }]) =>
      `<li><a href="/docs/errors/${code}">${code}</a> (${status}): ${escapeHtml(meaning)}</li>`,
  );
  return renderDocument('Errors', `<h1>Errors</h1>\n<ul>\n${rows.join('\n')}\n</ul>`);
}

function renderDocument(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} - Strongroom</title></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
