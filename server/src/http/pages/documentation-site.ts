import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addPolicy, pageOptions } from './page-reply.ts';

/**
 * The folder into which `npm run docs` puts the site. It is next to `src/` and `dist/`, so the same path works for
 * both.
 */
const folder = path.resolve(import.meta.dirname, '../../../assets/guide');
export const documentationPath = '/docs/guide/';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/**
 * The content security policy of the site. The site shares an origin with the portal, so only the vault's own files
 * run. Its search is WebAssembly, and its code samples use inline styles for colours.
 */
const policy = [
  `default-src 'none'`,
  `script-src 'self' 'wasm-unsafe-eval'`,
  `worker-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `font-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
];

/** The paths of the site's files. Empty in a checkout whose site has not been built. */
export type DocumentationSite = ReadonlySet<string>;

export async function readDocumentationSite(): Promise<DocumentationSite> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name))));
}

/** Serves exactly the files that existed at startup, so that no path leads out of the folder. */
export function addDocumentationSite(app: FastifyInstance, site: DocumentationSite): void {
  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    // The URL is used as sent. The router ignores a trailing slash, but a browser does not.
    const [asked = ''] = request.url.split('?');
    const name = asked.slice(documentationPath.length);
    if (site.has(name)) return send(reply, name);
    const page = path.posix.join(name, 'index.html');
    if (site.has(page)) return asked.endsWith('/') ? send(reply, page) : reply.redirect(`${asked}/`);
    return send(reply.code(404), '404.html');
  };
  app.get(documentationPath.slice(0, -1), pageOptions, serve);
  app.get(`${documentationPath}*`, pageOptions, serve);
}

async function send(reply: FastifyReply, file: string): Promise<FastifyReply> {
  addPolicy(reply, policy);
  reply.header('referrer-policy', 'no-referrer');
  reply.type(types[path.extname(file)] ?? 'application/octet-stream');
  return reply.send(await readFile(path.join(folder, file)));
}
