import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pageOptions } from './page-reply.ts';

/** Where `npm run docs` puts the site; next to `src/` and `dist/`, so the same path works for both. */
const folder = path.resolve(import.meta.dirname, '../../assets/guide');
export const documentationPath = '/docs/guide/';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/**
 * The site shares an origin with the portal, so only files of ours run. Its search is compiled code, and its code samples are
 * coloured by styles in the page.
 */
const policy = [
  `default-src 'none'`,
  `script-src 'self' 'wasm-unsafe-eval'`,
  `worker-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The files of the site by their paths, or none in a checkout whose site has not been built. */
export type DocumentationSite = ReadonlySet<string>;

export async function readDocumentationSite(): Promise<DocumentationSite> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name))));
}

/** Serves exactly the files that were there at the start, so that no path leads out of the folder. */
export function addDocumentationSite(app: FastifyInstance, site: DocumentationSite): void {
  app.get<{ Params: { '*': string } }>(`${documentationPath}*`, pageOptions, async (request, reply) => {
    const asked = request.params['*'];
    const file = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
    if (site.has(file)) return send(reply, file);
    if (site.has(`${asked}/index.html`)) return reply.redirect(`${documentationPath}${asked}/`);
    return send(reply.code(404), '404.html');
  });
}

async function send(reply: FastifyReply, file: string): Promise<FastifyReply> {
  reply.header('content-security-policy', policy);
  reply.header('x-frame-options', 'DENY');
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cross-origin-opener-policy', 'same-origin');
  reply.removeHeader('access-control-allow-origin');
  reply.type(types[path.extname(file)] ?? 'application/octet-stream');
  return reply.send(await readFile(path.join(folder, file)));
}
