import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptsGzip } from './accepted-encoding.ts';
import { pageOptions } from './page-reply.ts';

/** Where `npm run build` puts the portal; next to `src/` and `dist/`, so the same path works for both. */
const folder = path.resolve(import.meta.dirname, '../../assets/portal');
const filePath = '/portal/app';
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built portal: one page, and the files that it loads. */
export interface PortalFiles {
  readonly page: string;
  readonly files: readonly PortalFile[];
}

interface PortalFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** Undefined in a checkout that has not been built. */
export function readPortalFiles(): PortalFiles | undefined {
  const names = listFiles();
  if (!names.includes('index.html')) return undefined;
  const read = (name: string) => readFileSync(path.join(folder, name));
  const files = names
    .filter((name) => path.extname(name) in types)
    .map((name) => ({ name, bytes: read(name), gzipped: read(`${name}.gz`) }));
  return { page: read('index.html').toString('utf8'), files };
}

function listFiles(): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Names contain a hash of the content, so a browser may keep a file forever. */
export function addPortalFiles(app: FastifyInstance, { files }: PortalFiles): void {
  for (const { name, bytes, gzipped } of files) {
    app.get(`${filePath}/${name}`, pageOptions, (request, reply) => {
      reply.header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding');
      reply.type(types[path.extname(name)] ?? 'application/octet-stream');
      if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(bytes);
      return reply.header('content-encoding', 'gzip').send(gzipped);
    });
  }
}

/** Only files of ours, requests to the vault itself, and no way to turn text into code. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

export function addPortalPageHeaders(reply: FastifyReply): void {
  reply.header('content-security-policy', policy);
  reply.header('cache-control', 'no-store');
}
