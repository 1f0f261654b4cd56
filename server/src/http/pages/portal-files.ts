import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pageOptions } from './page-reply.ts';
import { isStaticFile, keptForever, readStaticFile, sendStaticFile, type StaticFile } from './static-file.ts';

/**
 * The folder into which `npm run build` puts the portal. It is next to `src/` and `dist/`, so the same path works for
 * both.
 */
const folder = path.resolve(import.meta.dirname, '../../../assets/portal');
const filePath = '/portal/app';

/** The built portal, which is one page and the files that it loads. */
export interface PortalFiles {
  readonly page: string;
  readonly files: readonly StaticFile[];
}

/** Returns undefined in a checkout that has not been built. */
export function readPortalFiles(): PortalFiles | undefined {
  const names = listFiles();
  if (!names.includes('index.html')) return undefined;
  const files = names.filter(isStaticFile).map((name) => readStaticFile(folder, name));
  return { page: readFileSync(path.join(folder, 'index.html'), 'utf8'), files };
}

function listFiles(): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Serves the files. Their names contain a hash of the content, so a browser may cache them forever. */
export function addPortalFiles(app: FastifyInstance, { files }: PortalFiles): void {
  for (const file of files) {
    app.get(`${filePath}/${file.name}`, pageOptions, (request, reply) =>
      sendStaticFile(request, reply.header('cache-control', keptForever), file),
    );
  }
}

/**
 * The content security policy of the portal. It allows only the vault's own files and requests to the vault itself, and
 * prevents text from being executed as code.
 */
const policy: readonly string[] = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `font-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
];

/** Adds the headers of a page. `frames` is the one origin whose frames the page may show, if any. */
export function addPortalPageHeaders(reply: FastifyReply, frames?: string): void {
  const whole = frames === undefined ? policy : [...policy, `frame-src ${frames}`];
  reply.header('content-security-policy', whole.join('; '));
  reply.header('cache-control', 'no-store');
}
